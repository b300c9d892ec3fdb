/** Where the service is: a host as written, checked before a key is sent to it. */

import { FlaghoistError } from '../base/errors.ts';

export interface ServiceAddress {
  /** Scheme, host and port, as URLs compare them. */
  readonly origin: string;
  /** Path in front of `/api`, without a trailing slash; empty for most services. */
  readonly basePath: string;
  /** True for this machine, where plain http is allowed and no budget is shared. */
  readonly loopback: boolean;
}

/** Takes a host apart. Throws `config_invalid` for anything that a key must not be sent to. */
export function parseAddress(host: string): ServiceAddress {
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new FlaghoistError('config_invalid', 'The host of a project is not an http or https URL.', {
      remedy: 'Write it with its scheme: https://us.posthog.com',
    });
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new FlaghoistError('config_invalid', 'The host of a project holds more than scheme, host, port and path.', {
      remedy: 'Remove the user name, the password, the query and the fragment.',
    });
  }
  const loopback = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !loopback) {
    throw new FlaghoistError('config_invalid', `The host ${url.origin} would receive the key unencrypted.`, {
      remedy: 'Use https. Plain http is allowed on loopback only.',
    });
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, ''), loopback };
}

/** The path of a project's resources. Throws `config_invalid` for an id that would change the path's meaning. */
export function projectPath(address: ServiceAddress, projectId: string): string {
  if (projectId === '' || projectId === '.' || projectId === '..') {
    throw new FlaghoistError('config_invalid', `'${projectId}' is not the id of a project.`);
  }
  // `@current` is an id that the service knows.
  return `${address.basePath}/api/projects/${encodeURIComponent(projectId).replaceAll('%40', '@')}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
