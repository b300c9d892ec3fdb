/** The service's address: a host, checked before a key is sent to it, and the paths of a project. */

import { FlagwrightError } from '../../base/errors.ts';
import { parseHost, type HostProblem, type ServiceHost } from '../../base/service-host.ts';

/** Parses a host. Throws `config_invalid` for a host that must not receive a key. */
export function parseAddress(host: string): ServiceHost {
  const parsed = parseHost(host);
  if ('kind' in parsed) throw refusal(parsed);
  return parsed;
}

/** The path of a project's resources. Throws `config_invalid` for an id that would change the path's meaning. */
export function projectPath(address: ServiceHost, projectId: string): string {
  if (projectId === '' || projectId === '.' || projectId === '..') {
    throw new FlagwrightError('config_invalid', `'${projectId}' is not the id of a project.`);
  }
  // `@current` is an id that the service accepts.
  return `${address.basePath}/api/projects/${encodeURIComponent(projectId).replaceAll('%40', '@')}`;
}

/** The path of resources outside projects. */
export function apiPath(address: ServiceHost): string {
  return `${address.basePath}/api`;
}

/** The service names it, so its id is a UUID or `@current`. */
export function organizationPath(address: ServiceHost, id: string): string {
  return `${address.basePath}/api/organizations/${encodeURIComponent(id).replaceAll('%40', '@')}`;
}

function refusal(problem: HostProblem): FlagwrightError {
  switch (problem.kind) {
    case 'not-http':
      return new FlagwrightError('config_invalid', 'The host of a project is not an http or https URL.', {
        remedy: 'Write it with its scheme: https://us.posthog.com',
      });
    case 'unwanted':
      return new FlagwrightError(
        'config_invalid',
        'The host of a project has parts beyond scheme, host, port and path.',
        {
          remedy: 'Remove the user name, the password, the query and the fragment.',
        },
      );
    case 'plain-http':
      return new FlagwrightError('config_invalid', `The host ${problem.shown} would receive the key unencrypted.`, {
        remedy: 'Use https. Plain http is allowed on loopback only.',
      });
  }
}
