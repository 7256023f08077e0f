"""Adds what LocalStack's open-source core lacks of CloudFormation.

The core passes over resource types, and updates of resources, that it does not know.
"""

import json

from localstack.services.cloudformation.provider_utils import (
    convert_request_kwargs,
    generate_default_name,
)
from localstack.services.cloudformation.resource_provider import (
    OperationStatus,
    ProgressEvent,
    ResourceProvider,
    ResourceProviderExecutor,
)


def done(request, model):
    return ProgressEvent(
        status=OperationStatus.SUCCESS, resource_model=model, custom_context=request.custom_context
    )


def schema(identifiers, create_only):
    return {
        "primaryIdentifier": [f"/properties/{i}" for i in identifiers],
        "createOnlyProperties": [f"/properties/{c}" for c in create_only],
    }


def call(client, operation, model):
    """Calls an operation with those properties of the model that it accepts."""
    method = client.meta.method_to_api_mapping
    name = next(python for python, api in method.items() if api == operation)
    return getattr(client, name)(
        **convert_request_kwargs(
            model, client.meta.service_model.operation_model(operation).input_shape
        )
    )


class Authorizer(ResourceProvider):
    TYPE = "AWS::ApiGateway::Authorizer"
    SCHEMA = schema(["RestApiId", "AuthorizerId"], ["RestApiId"])

    def create(self, request):
        model = request.desired_state
        model["AuthorizerId"] = call(
            request.aws_client_factory.apigateway, "CreateAuthorizer", model
        )["id"]
        return done(request, model)

    def update(self, request):
        model, previous = request.desired_state, request.previous_state
        model["AuthorizerId"] = previous["AuthorizerId"]
        operations = []
        for name in (
            "AuthorizerCredentials",
            "AuthorizerResultTtlInSeconds",
            "AuthorizerUri",
            "IdentitySource",
            "IdentityValidationExpression",
            "Name",
            "Type",
        ):
            path = f"/{name[0].lower()}{name[1:]}"
            if name in model and model[name] != previous.get(name):
                operations.append({"op": "replace", "path": path, "value": str(model[name])})
            elif name not in model and name in previous:
                operations.append({"op": "remove", "path": path})
        if operations:
            request.aws_client_factory.apigateway.update_authorizer(
                restApiId=model["RestApiId"],
                authorizerId=model["AuthorizerId"],
                patchOperations=operations,
            )
        return done(request, model)

    def delete(self, request):
        model, client = (
            request.previous_state or request.desired_state,
            request.aws_client_factory.apigateway,
        )
        try:
            client.delete_authorizer(
                restApiId=model["RestApiId"], authorizerId=model["AuthorizerId"]
            )
        except client.exceptions.NotFoundException:
            pass
        return done(request, model)


class Dashboard(ResourceProvider):
    TYPE = "AWS::CloudWatch::Dashboard"
    SCHEMA = schema(["DashboardName"], ["DashboardName"])

    def create(self, request):
        model = request.desired_state
        model["DashboardName"] = (
            model.get("DashboardName")
            or (request.previous_state or {}).get("DashboardName")
            or generate_default_name(request.stack_name, request.logical_resource_id)
        )
        json.loads(model["DashboardBody"])
        call(request.aws_client_factory.cloudwatch, "PutDashboard", model)
        return done(request, model)

    update = create

    def delete(self, request):
        model = request.previous_state or request.desired_state
        request.aws_client_factory.cloudwatch.delete_dashboards(
            DashboardNames=[model["DashboardName"]]
        )
        return done(request, model)


class MetricFilter(ResourceProvider):
    TYPE = "AWS::Logs::MetricFilter"
    SCHEMA = schema(["LogGroupName", "FilterName"], ["LogGroupName", "FilterName"])

    def create(self, request):
        model = request.desired_state
        model["FilterName"] = (
            model.get("FilterName")
            or (request.previous_state or {}).get("FilterName")
            or generate_default_name(request.stack_name, request.logical_resource_id)
        )
        call(request.aws_client_factory.logs, "PutMetricFilter", model)
        return done(request, model)

    update = create

    def delete(self, request):
        model, client = (
            request.previous_state or request.desired_state,
            request.aws_client_factory.logs,
        )
        try:
            client.delete_metric_filter(
                logGroupName=model["LogGroupName"], filterName=model["FilterName"]
            )
        except client.exceptions.ResourceNotFoundException:
            pass
        return done(request, model)


def again(*names):
    """Returns an update that replaces a resource under the same names."""

    def update(self, request):
        for name in names:
            if name in request.previous_state:
                request.desired_state.setdefault(name, request.previous_state[name])
        return self.create(request)

    return update


def update_method(self, request):
    wanted, request.desired_state = request.desired_state, request.previous_state
    self.delete(request)
    request.desired_state = wanted
    return self.create(request)


def update_stage(self, request):
    model, previous = request.desired_state, request.previous_state
    operations = []
    for name in "DeploymentId", "Description", "TracingEnabled":
        if model.get(name) is not None and model.get(name) != previous.get(name):
            operations.append(
                {
                    "op": "replace",
                    "path": f"/{name[0].lower()}{name[1:]}",
                    "value": str(model[name]),
                }
            )
    before, after = previous.get("Variables") or {}, model.get("Variables") or {}
    operations += [
        {"op": "replace", "path": f"/variables/{name}", "value": value}
        for name, value in after.items()
        if before.get(name) != value
    ]
    operations += [
        {"op": "remove", "path": f"/variables/{name}"} for name in before if name not in after
    ]
    model.setdefault("StageName", previous["StageName"])
    if operations:
        request.aws_client_factory.apigateway.update_stage(
            restApiId=model["RestApiId"], stageName=model["StageName"], patchOperations=operations
        )
    return done(request, model)


def retention(request, model):
    logs = request.aws_client_factory.logs
    if model.get("RetentionInDays"):
        logs.put_retention_policy(
            logGroupName=model["LogGroupName"], retentionInDays=int(model["RetentionInDays"])
        )
    elif (request.previous_state or {}).get("RetentionInDays"):
        logs.delete_retention_policy(logGroupName=model["LogGroupName"])


def update_log_group(self, request):
    model = {**request.previous_state, **request.desired_state}
    if "RetentionInDays" not in request.desired_state:
        model.pop("RetentionInDays", None)
    retention(request, model)
    return done(request, model)


NEW = {provider.TYPE: provider for provider in (Authorizer, Dashboard, MetricFilter)}
UPDATES = {
    "AWS::ApiGateway::GatewayResponse": again("Id"),
    "AWS::ApiGateway::Method": update_method,
    "AWS::ApiGateway::Stage": update_stage,
    "AWS::CloudWatch::Alarm": again("AlarmName"),
    "AWS::CloudWatch::CompositeAlarm": again("AlarmName"),
    "AWS::Logs::LogGroup": update_log_group,
}


def patch_cloudformation():
    load = ResourceProviderExecutor.try_load_resource_provider

    def try_load_resource_provider(resource_type):
        if resource_type in NEW:
            return NEW[resource_type]()
        provider = load(resource_type)
        if provider and resource_type in UPDATES:
            type(provider).update = UPDATES[resource_type]
        if provider and resource_type == "AWS::Logs::LogGroup":
            create = type(provider).create

            def with_retention(request):
                event = create(provider, request)
                retention(request, event.resource_model)
                return event

            provider.create = with_retention
        return provider

    ResourceProviderExecutor.try_load_resource_provider = staticmethod(try_load_resource_provider)
