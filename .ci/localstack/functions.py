"""Runs LocalStack's Lambda functions on AWS's own Runtime Interface Emulator (RIE).

LocalStack chooses, reuses and stops the environments, and stores results, logs and metrics. Here,
an environment is a container of the runtime's image with the code in /var/task and the RIE as its
entry point. Nothing is pulled. The RIE starts the runtime at the first invocation, so a failing
start is an error of that invocation, and again after a crash or a timeout.
"""

import json
import os
import socket
import threading
import time

import docker
import requests
from localstack.services.lambda_.invocation.docker_runtime_executor import (
    DockerRuntimeExecutor,
    docker_platform,
    resolver,
)
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.plugins import DockerRuntimeExecutorPlugin
from localstack.services.lambda_.invocation.runtime_executor import (
    LambdaRuntimeException,
)

PORT = 8080  # the RIE's: reached on the container's own address, so that nothing is published
USER = "993:990"  # AWS's user for functions: can write to /tmp only
RIE_MEMORY = 32  # MB on top of the function's, for the RIE itself
ERROR_FIELDS = {"errorType", "errorMessage", "trace", "stackTrace", "cause", "requestId"}

client = docker.from_env(max_pool_size=100)


class RieExecutor(DockerRuntimeExecutor):
    """Inherits the container's name and network, and LocalStack's address."""

    def __init__(self, id, function_version):
        super().__init__(id, function_version)
        self.container = None
        self.output = (
            bytearray()
        )  # what the function and the RIE have printed since the last invocation
        self.printed = threading.Condition()
        self.http = requests.Session()
        self.http.trust_env = False  # no proxy between here and a container

    @classmethod
    def prepare_version(cls, function_version):
        client.images.get(
            resolver.get_image_for_runtime(function_version.config.runtime)
        )  # raises ImageNotFound: the function's state is Failed
        function_version.config.code.prepare_for_execution()

    def start(self, env_vars):
        config = self.function_version.config
        environment = {name: str(value) for name, value in env_vars.items()} | {
            "AWS_EXECUTION_ENV": f"AWS_Lambda_{config.runtime}"
        }
        if "AWS_LAMBDA_LOG_LEVEL" in environment:
            environment["AWS_LAMBDA_LOG_LEVEL"] = environment[
                "AWS_LAMBDA_LOG_LEVEL"
            ].upper()  # LocalStack says "Info"
        architecture = config.architectures[0]
        rie = os.path.join(os.environ["LAMBDA_RIE_DIR"], f"aws-lambda-rie-{architecture}")
        network = self._get_networks_for_executor()[0]
        self.container = client.containers.create(
            resolver.get_image_for_runtime(config.runtime),
            name=self.container_name,
            entrypoint=["/var/rapid/aws-lambda-rie", "--log-level", "error"],
            environment=environment,
            volumes={
                rie: {"bind": "/var/rapid/aws-lambda-rie", "mode": "ro"},
                str(config.code.get_unzipped_code_location()): {"bind": "/var/task", "mode": "ro"},
            },
            user=USER,
            mem_limit=f"{config.memory_size + RIE_MEMORY}m",
            memswap_limit=f"{config.memory_size + RIE_MEMORY}m",  # the same: no swap
            network=network,
            platform=docker_platform(architecture),
        )
        self.container.start()
        # The function's stderr is in stdout too, in order, beside the RIE's START and END.
        stream = self.container.logs(stream=True, follow=True, stdout=True, stderr=False)
        threading.Thread(
            target=self._read, args=(stream,), daemon=True, name=f"lambda-output-{self.id}"
        ).start()
        self.container.reload()
        self.ip = self.container.attrs["NetworkSettings"]["Networks"][network]["IPAddress"]
        while (
            True
        ):  # LocalStack's own startup timeout ends this by stop(): reload() raises NotFound
            try:
                socket.create_connection((self.ip, PORT), timeout=1).close()
                return
            except OSError:
                self.container.reload()
                if self.container.status != "running":
                    raise LambdaRuntimeException(f"the container ended: {self.get_logs()}")
                time.sleep(0.01)

    def stop(self):
        if self.container:
            try:
                self.container.remove(force=True)
            except docker.errors.APIError:
                pass  # removed, or being removed, by someone else
        self.http.close()

    def invoke(self, payload):
        request_id = payload["invoke-id"]
        started = time.monotonic()
        response = self.http.post(
            f"http://{self.ip}:{PORT}/2015-03-31/functions/function/invocations",
            data=payload["payload"].encode(),
            headers={"X-Amzn-RequestId": request_id, "X-Amzn-Trace-Id": payload["trace-id"]},
            timeout=self.function_version.config.timeout
            + 30,  # the RIE keeps the function's timeout; this is for an RIE that hangs
        )
        duration = (time.monotonic() - started) * 1000
        error = self._error(response, request_id)
        logs = self._take_logs(request_id, timeout=0.5 if response.ok else 0.05)
        if error and error["errorType"] in (
            "Sandbox.Timedout",
            "Runtime.ExitError",
        ):  # AWS logs these two, the RIE does not
            logs += f"{error['errorMessage']}\n{error['errorType']}\n"
        report = f"REPORT RequestId: {request_id}"
        if report not in logs:
            status = f"Status: error\tError Type: {error['errorType']}\t" if error else ""
            logs += (
                f"END RequestId: {request_id}\n{report}\tDuration: {duration:.2f} ms\t{status}\n"
            )
        result = (
            json.dumps(error, ensure_ascii=False, separators=(",", ":")).encode()
            if error
            else response.content
        )
        return InvocationResult(request_id, result, is_error=bool(error), logs=logs)

    @staticmethod
    def _error(response, request_id):
        """Returns the error of an answer, or None.

        Only its form shows a thrown error, because the RIE answers it like a result.
        """
        if response.content.startswith(
            b"Task timed out after"
        ):  # unquoted: no JSON, so no function's answer
            return {
                "errorType": "Sandbox.Timedout",
                "errorMessage": f"RequestId: {request_id} Error: {response.text}",
            }
        try:
            answer = json.loads(response.content)
        except ValueError:  # empty, when the runtime exits during init
            answer = None
        if (
            isinstance(answer, dict)
            and {"errorType", "errorMessage"} <= answer.keys() <= ERROR_FIELDS
        ):
            return answer
        if not response.ok:
            return {
                "errorType": "Runtime.ExitError",
                "errorMessage": f"RequestId: {request_id} "
                "Error: Runtime exited without providing a reason",
            }
        return None

    def _read(self, stream):
        try:
            for chunk in stream:
                with self.printed:
                    self.output += chunk
                    self.printed.notify()
        except (OSError, ValueError, docker.errors.DockerException):
            pass  # the container is gone

    def _take_logs(self, request_id, timeout):
        """Returns the output up to the REPORT, which may arrive after the answer.

        After a crash there is none. The RIE can also lose it if 64 KB are printed at once.
        """
        report = f"REPORT RequestId: {request_id}".encode()
        with self.printed:
            self.printed.wait_for(lambda: report in self.output, timeout)
            output, self.output = self.output, bytearray()
        logs = output.decode(errors="replace")
        return logs if logs.endswith("\n") else f"{logs}\n"


def patch_lambda():
    DockerRuntimeExecutorPlugin.load = lambda self, *args, **kwargs: RieExecutor
