import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from '@jest/globals';
import { bridgeAddress } from '../../lib/local/docker.ts';

const address = (family: string, address: string) =>
  ({ family, address }) as unknown as NetworkInterfaceInfo;
const interfaces = {
  eth0: [address('IPv4', '10.0.0.5')],
  docker0: [address('IPv6', 'fe80::1'), address('IPv4', '172.17.0.1')],
};

test.each([
  ['is the gateway of its configuration', [{ Subnet: 's', Gateway: '172.18.0.1' }], '172.18.0.1'],
  ['is that of docker0 if the configuration names no gateway', [{ Subnet: 's' }], '172.17.0.1'],
  ['is that of docker0 if the gateway is empty', [{ Gateway: '' }], '172.17.0.1'],
  ['is that of docker0 if there is no configuration', [], '172.17.0.1'],
])('the address of the bridge %s', (_, configuration, expected) => {
  expect(bridgeAddress(configuration, interfaces)).toBe(expected);
});

test('without an address of the bridge there is a line that says what to do', () => {
  expect(() => bridgeAddress([], {})).toThrow(/^Docker has no network .*: restart the Docker/);
});
