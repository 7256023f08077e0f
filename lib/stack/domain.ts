import { CfnOutput } from 'aws-cdk-lib';
import { type CfnDomainName, DomainName, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import { stageName } from '../../functions/shared/operations.ts';
import { ipAddressType, tls } from './api.ts';
import type { Settings } from './settings.ts';

/**
 * Serves the API at a domain too, below /v1. With a hosted zone, the stack creates the certificate
 * and DNS records. Otherwise, an output has the DNS record to create.
 */
export function addDomain(
  scope: Construct,
  domainName: string,
  rest: RestApi,
  { certificate, 'hosted-zone': zoneId }: Settings,
): void {
  const zone = zoneId ? HostedZone.fromHostedZoneId(scope, 'HostedZone', zoneId) : undefined;
  const domain = new DomainName(scope, 'Domain', {
    domainName,
    certificate: zone
      ? new Certificate(scope, 'Certificate', {
          domainName,
          validation: CertificateValidation.fromDns(zone),
        })
      : Certificate.fromCertificateArn(scope, 'Certificate', `${certificate}`),
    ...tls,
  });
  const resource = domain.node.defaultChild as CfnDomainName;
  resource.addPropertyOverride('EndpointConfiguration.IpAddressType', ipAddressType);
  domain.addBasePathMapping(rest, { stage: rest.deploymentStage, basePath: stageName });

  if (!zone) {
    const value = `${domainName}. CNAME ${domain.domainNameAliasDomainName}.`;
    new CfnOutput(scope, 'DnsRecord', { value });
    return;
  }
  const record = {
    zone,
    // The final dot makes the name complete, so that CDK does not need the zone's name.
    recordName: `${domainName}.`,
    target: RecordTarget.fromAlias(new ApiGatewayDomain(domain)),
  };
  new ARecord(scope, 'Record', record);
  new AaaaRecord(scope, 'RecordForIPv6', record);
}
