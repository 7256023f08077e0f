"""Adds what LocalStack's open-source core lacks of REST APIs.

That is TOKEN authorizers, and the headers and templates of gateway responses.
https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
"""

import json
import logging
import re
import threading
import time

LOG = logging.getLogger("localstack.gateway")


class LambdaAuthorizer:
    def __init__(self):
        self._cache = {}
        self._lock = threading.Lock()

    def __call__(self, chain, context, response):
        if context.resource_method.get("authorizationType") != "CUSTOM":
            return
        from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
            AuthorizerConfigurationError,
            UnauthorizedError,
        )

        authorizer = context.deployment.rest_api.authorizers.get(
            context.resource_method.get("authorizerId")
        )
        if authorizer is None:
            raise AuthorizerConfigurationError()
        identity = self._identity(authorizer, context)
        if any(not value for value in identity):
            raise UnauthorizedError("Unauthorized")
        expression = authorizer.get("identityValidationExpression")
        if (
            authorizer["type"] == "TOKEN"
            and expression
            and not re.fullmatch(expression, identity[0])
        ):
            raise UnauthorizedError("Unauthorized")

        method_arn = self._method_arn(context)
        ttl = int(
            300
            if authorizer.get("authorizerResultTtlInSeconds") is None
            else authorizer["authorizerResultTtlInSeconds"]
        )
        key = (context.api_id, context.stage, authorizer["id"], *identity)
        output = self._cached(key) if ttl and identity else None
        latency = 0
        if output is None:
            started = time.monotonic()
            output = self._parse(
                self._invoke(authorizer, self._event(identity, method_arn), context)
            )
            latency = round((time.monotonic() - started) * 1000)
            if ttl and identity:
                with self._lock:
                    self._cache[key] = (time.monotonic() + min(ttl, 3600), output)
        self._authorize(output["statements"], method_arn)
        context.context_variables["authorizer"] = {
            **output["context"],
            "principalId": output["principalId"],
            "integrationLatency": latency,
        }
        if output["usageIdentifierKey"]:
            context.context_variables["identity"]["apiKey"] = output["usageIdentifierKey"]

    def _cached(self, key):
        with self._lock:
            until, output = self._cache.get(key, (0, None))
            if output and until <= time.monotonic():
                del self._cache[key]
                return None
            return output

    @staticmethod
    def _identity(authorizer, context):
        sources = [
            s.strip() for s in (authorizer.get("identitySource") or "").split(",") if s.strip()
        ]
        return [source_value(source, context) for source in sources]

    @staticmethod
    def _method_arn(context):
        request = context.invocation_request
        api = f"arn:aws:execute-api:{context.region}:{context.account_id}:{context.api_id}"
        return f"{api}/{context.stage}/{request['http_method']}{request['path'] or '/'}"

    @staticmethod
    def _event(identity, method_arn):
        return {"type": "TOKEN", "methodArn": method_arn, "authorizationToken": identity[0]}

    @staticmethod
    def _invoke(authorizer, event, context):
        from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
            AuthorizerConfigurationError,
            AuthorizerFailureError,
            UnauthorizedError,
        )
        from localstack.services.apigateway.next_gen.execute_api.helpers import (
            get_lambda_function_arn_from_invocation_uri,
            render_uri_with_stage_variables,
        )
        from localstack.services.apigateway.next_gen.execute_api.integrations.aws import (
            get_service_factory,
        )
        from localstack.utils.aws.arns import extract_region_from_arn
        from localstack.utils.aws.client_types import ServicePrincipal

        try:
            arn = get_lambda_function_arn_from_invocation_uri(
                render_uri_with_stage_variables(
                    authorizer["authorizerUri"], context.stage_variables
                )
            )
            client = get_service_factory(
                region_name=extract_region_from_arn(arn),
                role_arn=authorizer.get("authorizerCredentials"),
            ).lambda_
            source = f"{event['methodArn'].split('/')[0]}/authorizers/{authorizer['id']}"
            answer = client.request_metadata(
                service_principal=ServicePrincipal.apigateway, source_arn=source
            ).invoke(FunctionName=arn, Payload=json.dumps(event), InvocationType="RequestResponse")
            payload = json.loads(answer["Payload"].read() or b"null")
        except Exception as e:  # the function cannot be invoked
            LOG.warning("authorizer %s cannot be invoked: %s", authorizer["id"], e)
            raise AuthorizerConfigurationError() from e
        if answer.get("FunctionError"):
            if isinstance(payload, dict) and payload.get("errorMessage") == "Unauthorized":
                raise UnauthorizedError("Unauthorized")
            LOG.warning("authorizer %s failed: %s", authorizer["id"], payload)
            failure = AuthorizerFailureError()
            failure.message = None
            raise failure
        return payload

    @staticmethod
    def _parse(payload):
        """Checks the output's form once, before it is cached."""
        from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
            AuthorizerConfigurationError,
        )

        def listed(value):
            values = value if isinstance(value, list) else [value]
            if not values or any(not isinstance(v, str) for v in values):
                raise ValueError("a policy element is no string")
            return values

        try:
            statements = payload["policyDocument"]["Statement"]
            parsed = []
            for s in statements if isinstance(statements, list) else [statements]:
                if s["Effect"] not in ("Allow", "Deny"):
                    raise ValueError("Effect")
                for name in "Action", "Resource":
                    if (name in s) == (f"Not{name}" in s):
                        raise ValueError(name)
                if s.get("Condition"):
                    LOG.warning(
                        "a statement with a condition is left out: conditions are not supported"
                    )
                    continue
                parsed.append(
                    (
                        s["Effect"],
                        *(
                            (name in s, listed(s[name] if name in s else s[f"Not{name}"]))
                            for name in ("Action", "Resource")
                        ),
                    )
                )
            values = payload.get("context") or {}
            if any(isinstance(v, (dict, list)) for v in values.values()):
                raise ValueError("context values must be strings, numbers or booleans")
            if not isinstance(payload["principalId"], str):
                raise ValueError("principalId")
            return {
                "principalId": payload["principalId"],
                "statements": parsed,
                "context": {
                    k: v if isinstance(v, str) else json.dumps(v)
                    for k, v in values.items()
                    if v is not None
                },
                "usageIdentifierKey": payload.get("usageIdentifierKey"),
            }
        except (KeyError, TypeError, ValueError, AttributeError) as e:
            LOG.warning("malformed authorizer output %s: %r", payload, e)
            raise AuthorizerConfigurationError() from e

    @staticmethod
    def _authorize(statements, method_arn):
        from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
            AccessDeniedError,
        )

        def matches(patterns, value, flags=0):
            return any(
                re.fullmatch(
                    re.escape(p).replace(r"\*", ".*").replace(r"\?", "."), value, flags | re.DOTALL
                )
                for p in patterns
            )

        effects = {
            effect
            for effect, (is_action, actions), (is_resource, resources) in statements
            if matches(actions, "execute-api:Invoke", re.IGNORECASE) == is_action
            and matches(resources, method_arn) == is_resource
        }
        if "Deny" in effects:
            raise AccessDeniedError(
                "User is not authorized to access this resource with an explicit deny"
            )
        if "Allow" not in effects:
            raise AccessDeniedError("User is not authorized to access this resource")


def source_value(source, context):
    """The value of method.request.…, context.… or stageVariables.…; None when absent."""
    request = context.invocation_request
    if source.startswith("method.request."):
        kind, _, name = source.removeprefix("method.request.").partition(".")
        if kind == "header":
            values = request["headers"].getlist(name)
            return values[-1] if values else None
        if kind == "querystring":
            return request["query_string_parameters"].get(name)
        if kind == "path":
            return (request.get("path_parameters") or {}).get(name)
        return None
    root, _, path = source.partition(".")
    value = {
        "context": context.context_variables,
        "stageVariables": context.stage_variables or {},
    }.get(root)
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return None if value is None else str(value)


def patch_gateway_responses():
    from localstack.http import Response
    from localstack.services.apigateway.next_gen.execute_api.gateway_response import (
        AccessDeniedError,
        get_gateway_response_or_default,
    )
    from localstack.services.apigateway.next_gen.execute_api.handlers.gateway_exception import (
        GatewayExceptionHandler,
    )

    default = '{"message":$context.error.messageString}'
    variable = re.compile(
        r"\$(?:\{([A-Za-z][\w.\-]*)\}|((?:context|stageVariables|method\.request)(?:\.[\w\-]+)+))"
    )

    def create_exception_response(self, exception, context):
        gateway_response = get_gateway_response_or_default(
            exception.type, context.deployment.rest_api.gateway_responses
        )
        templates = gateway_response.get("responseTemplates") or {}
        accepts = [
            a.split(";")[0].strip() for a in context.request.headers.get("Accept", "").split(",")
        ]
        content_type = next(
            (a for a in [*accepts, "application/json"] if a in templates),
            next(iter(templates), "application/json"),
        )
        template = templates.get(content_type, default)

        def substitute(match):
            name = match.group(1) or match.group(2)
            if name == "context.error.messageString":
                return json.dumps(exception.message)
            value = source_value(name, context)
            return "" if value is None else value

        if template == default and isinstance(exception, AccessDeniedError):
            template = template.replace("message", "Message", 1)  # as AWS does
        body = variable.sub(substitute, template)
        headers = self._build_response_headers(exception)
        headers["Content-Type"] = content_type
        for target, value in (gateway_response.get("responseParameters") or {}).items():
            name = target.removeprefix("gatewayresponse.header.")
            value = (
                value[1:-1]
                if len(value) > 1 and value[0] == value[-1] == "'"
                else source_value(value, context)
            )
            if name != target and value is not None:
                headers[name] = value
        return Response(
            response=body,
            headers=headers,
            status=gateway_response.get("statusCode") or exception.status_code or 500,
        )

    GatewayExceptionHandler.create_exception_response = create_exception_response


def patch_apigateway():
    from localstack.services.apigateway.next_gen.execute_api import handlers

    handlers.preprocess_request.append(LambdaAuthorizer())
    patch_gateway_responses()
