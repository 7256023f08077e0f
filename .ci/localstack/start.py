"""Starts LocalStack with what its open-source core lacks, and without downloads."""


def patch_downloads():
    from localstack.services.dynamodb.server import DynamodbServer

    command = DynamodbServer._create_shell_command
    DynamodbServer._create_shell_command = lambda self: [
        a for a in command(self) if not a.startswith("-javaagent:")
    ]


def patch_listen():
    """Listens on the addresses in GATEWAY_LISTEN only. The core would listen on all."""
    from types import SimpleNamespace

    from localstack import config
    from localstack.runtime.server import twisted

    hosts, endpoint = (
        iter([listen.host for listen in config.GATEWAY_LISTEN]),
        twisted.endpoints.TCP4ServerEndpoint,
    )
    twisted.endpoints = SimpleNamespace(
        TCP4ServerEndpoint=lambda reactor, port: endpoint(reactor, port, interface=next(hosts))
    )


if __name__ == "__main__":
    patch_listen()
    patch_downloads()
    from cloudformation import patch_cloudformation
    from functions import patch_lambda
    from gateway import patch_apigateway
    from monitoring import patch_apigateway_monitoring, patch_logs

    patch_apigateway()
    patch_lambda()
    patch_cloudformation()
    patch_logs()
    patch_apigateway_monitoring()
    from localstack.runtime.main import main

    main()
