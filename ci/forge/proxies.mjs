// The proxy between the runner and the forge: Node's fetch reads no variables of proxies by itself.

import { createRequire } from 'node:module';

const { proxiesOf, throughProxies } = createRequire(import.meta.url)('../../dist/cli/proxies.js');

let agent;

/** The options of `fetch` for the address; this machine is reached without a proxy. */
export function proxyFor(address) {
  const proxies = proxiesOf(process.env);
  if (proxies === undefined || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname)) return {};
  agent ??= throughProxies(proxies, {}, () => undefined);
  return { dispatcher: agent };
}
