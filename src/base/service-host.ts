/** The host of a service: its canonical form, and whether an API key may be sent to it. */

import { memberOf } from './json.ts';

export interface ServiceHost {
  /** Scheme, host and port, as URLs compare them. */
  readonly origin: string;
  /** Path before `/api`, without a trailing slash; empty for most services. */
  readonly basePath: string;
  /** Whether it is this machine, where plain http is allowed and no rate limit is shared. */
  readonly loopback: boolean;
}

export type HostProblem =
  | { readonly kind: 'not-http'; readonly shown: string }
  /** The names of parts that a host must not have, without their values, which may be secrets. */
  | { readonly kind: 'unwanted'; readonly shown: string; readonly parts: readonly string[] }
  | { readonly kind: 'plain-http'; readonly shown: string };

/** Parses a host; `shown` never contains a user or a password. */
export function parseHost(written: string): ServiceHost | HostProblem {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return { kind: 'not-http', shown: written.replace(/^([^/]*\/\/)?[^/]*@/, '$1') };
  }
  const basePath = url.pathname.replace(/\/+$/, '');
  const parts = [
    ...(url.username === '' ? [] : ['a user']),
    ...(url.password === '' ? [] : ['a password']),
    ...(url.search === '' ? [] : ['a query']),
    ...(url.hash === '' ? [] : ['a fragment']),
  ];
  if (parts.length > 0) return { kind: 'unwanted', shown: url.origin + basePath, parts };
  const loopback = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !loopback) return { kind: 'plain-http', shown: url.origin };
  return { origin: url.origin, basePath, loopback };
}

/** Names of the service's own hosts that answer as another one of them. */
const SAME: Readonly<Record<string, string>> = {
  'app.posthog.com': 'us.posthog.com',
  'us.i.posthog.com': 'us.posthog.com',
  'eu.i.posthog.com': 'eu.posthog.com',
};

/** Whether two hosts in canonical form are names of one service: of this machine, of the same host with a final dot, or of PostHog Cloud. */
export function isSameHost(one: string, other: string): boolean {
  const [first, second] = [one, other].map(nameOfHost);
  return first === second;
}

function nameOfHost(host: string): string {
  if (!URL.canParse(host)) return host;
  const { protocol, hostname, port, pathname } = new URL(host);
  const name = hostname.replace(/\.$/, '');
  const own = isLoopback(name) ? 'localhost' : name;
  const usual = protocol === 'https:' ? '443' : '80';
  return `${memberOf(SAME, own) ?? own}:${port === '' ? usual : port}${pathname.replace(/\/+$/, '')}`;
}

/** Names below `localhost` do not count: some resolvers send them to other machines. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
