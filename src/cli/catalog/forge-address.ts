/** The address of the repository on its forge, for links to files and commits. */

import type { ForgeAddress } from '../../catalog/catalog.ts';
import { findRepositoryName, forgeOf } from '../../loop/git/forge.ts';
import type { Checkout } from '../applied/open-checkout.ts';
import type { Session } from '../session/session.ts';

/** The address of the remote says it; of a host with another name, only a CI job of this repository does. `undefined` for an unknown forge. */
export async function findForge({ context: { env } }: Session, checkout: Checkout): Promise<ForgeAddress | undefined> {
  const opened = await checkout.opened;
  const name = opened.kind === 'open' ? await findRepositoryName(opened.repository) : undefined;
  const [server, repository, project] = [env['GITHUB_SERVER_URL'], env['GITHUB_REPOSITORY'], env['CI_PROJECT_URL']];
  const job: ForgeAddress | undefined =
    server && repository
      ? { forge: 'github', url: `${server}/${repository}` }
      : project
        ? { forge: 'gitlab', url: project }
        : undefined;
  // A job may check out other repositories too. The name has no port.
  const jobName = job?.url.replace(/^https?:\/\/([^/:]+)(?::\d+)?/i, '$1');
  if (job !== undefined && (name === undefined || name.toLowerCase() === jobName?.toLowerCase())) return job;
  const forge = forgeOf(name?.split('/')[0]);
  return name === undefined || forge === undefined ? undefined : { forge, url: `https://${name}` };
}
