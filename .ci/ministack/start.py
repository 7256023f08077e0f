"""Starts MiniStack, an AWS emulator, with patches for three features that the stack needs.

The patches use private names of MiniStack, so requirements/ministack.in pins its version. After a
change of the version, run .ci/steps/deploy.
"""

import json

from ministack import app
from ministack.services import apigateway_v1, stepfunctions
from ministack.services.cloudformation import provisioners


def name_request_id():
    """Replaces $context.extendedRequestId in gateway responses by $context.requestId.

    MiniStack knows only the latter there. Functions get the same value for both.
    """
    put = apigateway_v1._put_gateway_response

    def put_with_known_name(api_id, response_type, data):
        known = json.dumps(data).replace("context.extendedRequestId", "context.requestId")
        return put(api_id, response_type, json.loads(known))

    apigateway_v1._put_gateway_response = put_with_known_name


def take_first_metric():
    """Replaces the expression of an alarm by its first metric. No test depends on these alarms."""
    record = provisioners._cw_metric_alarm_record

    def record_with_metric(name, properties):
        for metric in properties.get("Metrics", []):
            if "MetricStat" in metric:
                first = metric["MetricStat"]["Metric"]
                return record(name, {**properties, **first, "Metrics": None})
        return record(name, properties)

    provisioners._cw_metric_alarm_record = record_with_metric


def let_state_machines_call_api_gateway():
    """Adds the tasks getStage and updateStage to state machines, which know none of API Gateway."""
    invoke = stepfunctions._invoke_aws_sdk_integration

    def invoke_with_stages(resource, parameters):
        methods = {"getStage": "GET", "updateStage": "PATCH"}
        method = methods.get(resource.split(":aws-sdk:apigateway:")[-1])
        if method is None:
            return invoke(resource, parameters)
        operations = [
            {member.lower(): value for member, value in operation.items()}
            for operation in parameters.get("PatchOperations", [])
        ]
        path = f"/restapis/{parameters['RestApiId']}/stages/{parameters['StageName']}"
        body = json.dumps({"patchOperations": operations}).encode()
        status, _, result = app.call_service_handler_sync(
            apigateway_v1.handle_request, method, path, {}, body, {}
        )
        if status != 200:
            raise stepfunctions._ExecutionError("ApiGateway.ApiGatewayException", str(result))
        return capitalize_members(json.loads(result))

    stepfunctions._invoke_aws_sdk_integration = invoke_with_stages


def capitalize_members(value):
    """Writes the names of members as state machines get them."""
    if isinstance(value, dict):
        return {
            name[:1].upper() + name[1:]: capitalize_members(member)
            for name, member in value.items()
        }
    return value


if __name__ == "__main__":
    name_request_id()
    take_first_metric()
    let_state_machines_call_api_gateway()

    app.main()
