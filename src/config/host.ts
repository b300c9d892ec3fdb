/** Hosts: their one form, and the refusal of those that an API key must not be sent to. */

export type HostCheck =
  | { readonly host: string }
  | {
      readonly problem: 'config-host-invalid' | 'config-host-plain-http';
      readonly shown: string;
      readonly unwanted?: readonly string[];
    };

/** A host as origin and base path without a trailing slash; `shown` never holds a user or a password. */
export function checkHost(written: string): HostCheck {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return { problem: 'config-host-invalid', shown: withoutUser(written) };
  }
  const unwanted = unwantedIn(url);
  if (unwanted.length > 0) {
    return { problem: 'config-host-invalid', shown: url.origin + url.pathname.replace(/\/+$/, ''), unwanted };
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return { problem: 'config-host-plain-http', shown: url.origin };
  }
  return { host: url.origin + url.pathname.replace(/\/+$/, '') };
}

// In words and without the values, of which any may be a secret.
function unwantedIn(url: URL): string[] {
  return [
    ...(url.username === '' ? [] : ['a user']),
    ...(url.password === '' ? [] : ['a password']),
    ...(url.search === '' ? [] : ['a query']),
    ...(url.hash === '' ? [] : ['a fragment']),
  ];
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** The arguments of the diagnostic for a host that is refused. */
export function problemArgs({ shown, unwanted }: Extract<HostCheck, { problem: string }>): {
  readonly host: string;
  readonly unwanted?: readonly string[];
} {
  return unwanted === undefined ? { host: shown } : { host: shown, unwanted };
}

function withoutUser(text: string): string {
  return text.replace(/^([^/]*\/\/)?[^/]*@/, '$1');
}
