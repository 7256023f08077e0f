import { expect, test } from '@jest/globals';
import { bridgeAddress, parseInfo } from '../../bin/sam/docker.ts';

const ipv6 = { Subnet: 'fd00::/64' };

test.each([
  ['is its gateway', [{ Subnet: '172.18.0.0/16', Gateway: '172.18.0.9' }], '172.18.0.9'],
  ['without a gateway is the first of its subnet', [{ Subnet: '172.17.0.0/16' }], '172.17.0.1'],
  ['is in its subnet of IPv4', [ipv6, { Subnet: '10.9.8.16/28', Gateway: '' }], '10.9.8.17'],
])('the address of the bridge %s', (_, configuration, expected) => {
  expect(bridgeAddress(configuration)).toBe(expected);
});

test.each([[[]], [[{}]], [[ipv6]]])('without an address, in %j, a line says what to do', (none) => {
  expect(() => bridgeAddress(none)).toThrow(/^Docker has no network .*: restart the Docker/);
});

test.each([
  ['nothing', ''],
  ["Podman's message", 'Emulate Docker CLI using podman.'],
  ["Podman's answer", '{"host":{"arch":"amd64"},"version":{"APIVersion":"5.2.2"}}'],
  ['null', 'null'],
])('a docker that says %s is refused with what to do', (_, answer) => {
  expect(() => parseInfo(answer)).toThrow(
    /^The command "docker" is not Docker, .*: get Docker from https:.*, or use "npm start"\.$/,
  );
});
