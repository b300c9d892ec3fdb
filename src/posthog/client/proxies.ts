/** Proxies of the network: which requests go through one, as undici reads the variables of the environment, and how one refuses. */

import { EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { memberOf } from '../../base/json.ts';

/** Values of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`; empty where a variable is not set. */
export interface Proxies {
  readonly https: string;
  readonly http: string;
  readonly none: string;
}

/** The proxies that the environment names, if it names one. A name in small letters counts first, as it does for curl and undici. */
export function proxiesOf(env: Readonly<Record<string, string | undefined>>): Proxies | undefined {
  const valueOf = (name: string): string => memberOf(env, name.toLowerCase()) ?? memberOf(env, name) ?? '';
  const proxies = { https: valueOf('HTTPS_PROXY'), http: valueOf('HTTP_PROXY'), none: valueOf('NO_PROXY') };
  return proxies.https === '' && proxies.http === '' ? undefined : proxies;
}

/** Why a proxy opened no connection to the service. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  readonly status: number;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.status = status;
  }
}

/**
 * Sends requests through the proxies, as `EnvHttpProxyAgent` chooses them; `onUse` gets the address of one, without user and password, before
 * a connection through it is asked for. Throws `config_invalid` for an address that is none of a proxy.
 */
export function throughProxies(
  { https, http, none }: Proxies,
  connections: Pick<Pool.Options, 'connections' | 'pipelining' | 'headersTimeout' | 'bodyTimeout'>,
  onUse: (proxy: string) => void,
): Dispatcher {
  return new EnvHttpProxyAgent({
    ...connections,
    // An empty text keeps undici from reading the environment itself.
    httpProxy: http === '' ? '' : checkedProxy('HTTP_PROXY', http),
    httpsProxy: https === '' ? '' : checkedProxy('HTTPS_PROXY', https),
    noProxy: none,
    clientFactory: (origin, options) => new WatchedProxy(origin, options, onUse),
  });
}

/** The connections to a proxy, which are asked to `CONNECT` to the service. */
class WatchedProxy extends Pool {
  readonly #address: string;
  readonly #onUse: (proxy: string) => void;

  constructor(origin: URL, options: object, onUse: (proxy: string) => void) {
    super(origin, options);
    this.#address = origin.origin;
    this.#onUse = onUse;
  }

  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    this.#onUse(this.#address);
    const answer = await super.connect(options).catch((error: unknown) => {
      // undici asks again at once, without end, where a connection broke off with its own code.
      if (systemCode(error) !== 'UND_ERR_SOCKET') throw error;
      throw Object.assign(new Error('the proxy closed the connection', { cause: error }), { code: 'ECONNRESET' });
    });
    if (answer.statusCode === 200) return answer;
    answer.socket.on('error', () => undefined).destroy();
    throw new ProxyRefusal(answer.statusCode);
  }
}

function checkedProxy(variable: string, written: string): string {
  const url = parseProxy(written);
  if (url !== undefined) return url.href;
  throw new FlagwrightError('config_invalid', `${variable} is not the address of an HTTP proxy.`, {
    remedy:
      'Set it to an address such as http://USER:PASSWORD@proxy.example:3128, and percent-encode special characters.',
  });
}

/** An address without a scheme is one of http, as curl reads it. */
function parseProxy(written: string): URL | undefined {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // undici decodes both, and fails at a lone percent sign.
  const isEncoded = /^(?:[^%]|%[\da-f]{2})*$/i.test(url.username + url.password);
  return isEncoded && ['http:', 'https:'].includes(url.protocol) ? url : undefined;
}
