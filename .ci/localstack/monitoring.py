"""Adds what LocalStack's open-source core lacks of CloudWatch.

That is a function's own log group, filter patterns (in the core, every event matches), and the
access logs and metrics of API Gateway.
"""

import json
import logging
import queue
import re
import threading
import time

LOG = logging.getLogger("localstack.monitoring")
TOKEN = re.compile(
    r'\s*(&&|\|\||[()]|(?:IS|NOT)\s+\w+|!=|<=|>=|=|<|>|"(?:[^"\\]|\\.)*"|'
    r"\$(?:\.[\w-]+|\[[^\]]+\])+|[^\s()=!<>&|]+)"
)


def json_pattern(pattern):
    """{ $.a.b = "x*" && ($.n > 5 || $.gone NOT EXISTS) } as a function of the event's object."""
    tokens = TOKEN.findall(pattern.strip()[1:-1])

    def select(selector, event):
        for part in re.findall(r"\.([\w-]+)|\[\"?([^\]\"]+)\"?\]", selector):
            name = part[0] or part[1]
            if isinstance(event, list) and name.isdigit() and int(name) < len(event):
                event = event[int(name)]
            elif isinstance(event, dict) and name in event:
                event = event[name]
            else:
                return False, None
        return True, event

    def either():
        terms = [both()]
        while tokens and tokens[0] == "||":
            tokens.pop(0)
            terms.append(both())
        return lambda event: any(term(event) for term in terms)

    def both():
        terms = [one()]
        while tokens and tokens[0] == "&&":
            tokens.pop(0)
            terms.append(one())
        return lambda event: all(term(event) for term in terms)

    def one():
        if tokens[0] == "(":
            tokens.pop(0)
            inner = either()
            tokens.pop(0)
            return inner
        selector, operator = tokens.pop(0), re.sub(r"\s+", " ", tokens.pop(0)).upper()
        if operator == "NOT EXISTS":
            return lambda event: not select(selector, event)[0]
        if operator in ("IS NULL", "IS TRUE", "IS FALSE"):
            wanted = {"IS NULL": None, "IS TRUE": True, "IS FALSE": False}[operator]
            return lambda event: select(selector, event) == (True, wanted)
        text = tokens.pop(0)
        quoted = text.startswith('"')
        text = text[1:-1] if quoted else text
        try:
            number = None if quoted else float(text)
        except ValueError:
            number = None
        glob = re.compile(".*".join(re.escape(part) for part in text.split("*")), re.DOTALL)

        def compare(event):
            found, value = select(selector, event)
            if not found:
                return False
            if number is not None:
                if isinstance(value, bool) or not isinstance(value, (int, float)):
                    return False
                return {
                    "=": value == number,
                    "!=": value != number,
                    "<": value < number,
                    ">": value > number,
                    "<=": value <= number,
                    ">=": value >= number,
                }[operator]
            same = isinstance(value, str) and bool(glob.fullmatch(value))
            return same if operator == "=" else not same

        return compare

    matches = either()
    if tokens:
        raise ValueError(f"left over: {tokens}")

    def match(message):
        try:
            event = json.loads(message)
        except ValueError:
            return False
        return isinstance(event, dict) and matches(event)

    match.select = lambda selector, message: select(selector, json.loads(message))[1]
    return match


def text_pattern(pattern):
    """Terms, "phrases", -without and ?any."""
    terms = re.findall(r'([-?]?)(?:"([^"]*)"|(\S+))', pattern)
    words = [(sign, phrase or word) for sign, phrase, word in terms]
    any_of = [w for sign, w in words if sign == "?"]

    def match(message):
        return all((w in message) == (sign == "") for sign, w in words if sign != "?") and (
            not any_of or any(w in message for w in any_of)
        )

    return match


def matcher(pattern):
    pattern = (pattern or "").strip()
    if pattern.startswith("{"):
        return json_pattern(pattern)
    if pattern.startswith(("[", "%")):
        raise ValueError("space-delimited and regular expression patterns are not known here")
    return text_pattern(pattern)


def get_pattern_matcher(pattern):
    try:
        match = matcher(pattern)
    except (ValueError, IndexError, KeyError) as e:
        LOG.warning("filter pattern %r matches nothing: %s", pattern, e)
        return lambda _pattern, _event: False
    return lambda _pattern, event: match(
        (event.get("message") if isinstance(event, dict) else event.message) or ""
    )


def put_metrics(context, group, events):
    from localstack.aws.connect import connect_to
    from localstack.services.logs.provider import get_moto_logs_backend

    for metric_filter in get_moto_logs_backend(
        context.account_id, context.region
    ).filters.metric_filters:
        if metric_filter.get("logGroupName") != group:
            continue
        try:
            match = matcher(metric_filter.get("filterPattern"))
        except (ValueError, IndexError, KeyError):
            continue
        for event in events:
            if not match(event["message"]):
                continue
            for transformation in metric_filter.get("metricTransformations", []):
                value = transformation.get("metricValue") or "1"
                try:
                    value = float(
                        match.select(value, event["message"]) if value.startswith("$") else value
                    )
                except (TypeError, ValueError):
                    continue
                data = {
                    "MetricName": transformation["metricName"],
                    "Value": value,
                    "Unit": transformation.get("unit") or "None",
                }
                connect_to(
                    aws_access_key_id=context.account_id, region_name=context.region
                ).cloudwatch.put_metric_data(
                    Namespace=transformation["metricNamespace"], MetricData=[data]
                )


def patch_logs():
    from localstack.services.lambda_.invocation.execution_environment import (
        ExecutionEnvironment,
    )
    from localstack.services.logs import provider

    default = ExecutionEnvironment.get_log_group_name
    ExecutionEnvironment.get_log_group_name = lambda self: (
        (self.function_version.config.logging_config or {}).get("LogGroup") or default(self)
    )

    provider.get_pattern_matcher = get_pattern_matcher

    def put_log_events(
        self,
        context,
        log_group_name,
        log_stream_name,
        log_events,
        sequence_token=None,
        entity=None,
        **kwargs,
    ):
        answer = provider.call_moto(context)
        put_metrics(context, log_group_name, log_events)
        return answer

    put_log_events.__dict__.update(getattr(provider.LogsProvider.put_log_events, "__dict__", {}))
    provider.LogsProvider.put_log_events = put_log_events


# API Gateway's access logs and metrics are queued, and sent every second.
class Monitor:
    def __init__(self, inner):
        self._inner = inner
        self._queue = queue.Queue()
        threading.Thread(target=self._run, daemon=True, name="apigateway-monitor").start()

    def __call__(self, chain, context, response):
        self._inner(chain, context, response)
        variables = context.context_variables
        if variables is None:
            return
        latency = time.time() * 1000 - variables["requestTimeEpoch"]
        stage = context.stage_configuration or {}
        settings = stage.get("accessLogSettings") or {}
        line = None
        if settings.get("destinationArn") and settings.get("format"):
            extra = {
                "status": response.status_code,
                "responseLength": len(response.data),
                "responseLatency": round(latency),
            }
            line = re.sub(
                r"\$context((?:\.\w+)+)",
                lambda m: self._variable({**variables, **extra}, m.group(1)[1:].split(".")),
                settings["format"],
            )
        name = context.deployment.rest_api.rest_api["name"]
        self._queue.put(
            (
                context.account_id,
                context.region,
                name,
                context.stage,
                response.status_code,
                latency,
                settings.get("destinationArn"),
                line,
            )
        )

    @staticmethod
    def _variable(value, path):
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return "-" if value is None else str(value)

    def _run(self):
        while True:
            items = [self._queue.get()]
            time.sleep(1)
            while not self._queue.empty() and len(items) < 100:
                items.append(self._queue.get())
            try:
                self._send(items)
            except Exception:
                LOG.warning("API Gateway's access logs or metrics are lost", exc_info=True)

    @staticmethod
    def _send(items):
        from localstack.aws.connect import connect_to

        metrics, lines = {}, {}
        for account, region, name, stage, status, latency, destination, line in items:
            values = {
                "Count": 1,
                "4XXError": int(400 <= status < 500),
                "5XXError": int(status >= 500),
                "Latency": latency,
            }
            dimensions = [
                {"Name": "ApiName", "Value": name},
                {"Name": "Stage", "Value": stage},
            ]  # found by ApiName alone too: LocalStack takes a part of the dimensions for a match
            for metric, value in values.items():
                data = {
                    "MetricName": metric,
                    "Value": value,
                    "Unit": "Milliseconds" if metric == "Latency" else "Count",
                    "Dimensions": dimensions,
                }
                metrics.setdefault((account, region), []).append(data)
            if line is not None:
                lines.setdefault(
                    (
                        account,
                        region,
                        destination.split(":log-group:")[1].removesuffix(":*"),
                        stage,
                    ),
                    [],
                ).append({"timestamp": int(time.time() * 1000), "message": line})
        for (account, region), data in metrics.items():
            connect_to(aws_access_key_id=account, region_name=region).cloudwatch.put_metric_data(
                Namespace="AWS/ApiGateway", MetricData=data
            )
        for (account, region, group, stage), events in lines.items():
            logs = connect_to(aws_access_key_id=account, region_name=region).logs
            try:
                logs.create_log_stream(logGroupName=group, logStreamName=stage)
            except logs.exceptions.ResourceAlreadyExistsException:
                pass
            logs.put_log_events(logGroupName=group, logStreamName=stage, logEvents=events)


def patch_apigateway_monitoring():
    from localstack.services.apigateway.next_gen.execute_api import handlers

    handlers.usage_counter = Monitor(handlers.usage_counter)
