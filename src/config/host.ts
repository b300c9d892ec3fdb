/** Hosts: their one form, and the refusal of those that an API key must not be sent to. */

export type HostCheck =
  | { readonly host: string }
  | { readonly problem: 'config-host-invalid' | 'config-host-plain-http'; readonly shown: string };

/** A host as origin and base path without a trailing slash; `shown` never holds a user or a password. */
export function checkHost(written: string): HostCheck {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return { problem: 'config-host-invalid', shown: withoutUser(written) };
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return { problem: 'config-host-invalid', shown: url.origin };
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return { problem: 'config-host-plain-http', shown: url.origin };
  }
  return { host: url.origin + url.pathname.replace(/\/+$/, '') };
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

function withoutUser(text: string): string {
  return text.replace(/^([^/]*\/\/)?[^/]*@/, '$1');
}
