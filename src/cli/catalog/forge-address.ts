/** The address of the repository on its forge, for links to files and commits. */

import type { ForgeAddress } from '../../catalog/catalog.ts';
import { findRepositoryName } from '../../loop/git/forge.ts';
import type { Checkout } from '../applied/open-checkout.ts';
import type { Session } from '../session/session.ts';

/** A CI job knows it; elsewhere the address of the remote says it. `undefined` for an unknown forge. */
export async function findForge({ context: { env } }: Session, checkout: Checkout): Promise<ForgeAddress | undefined> {
  const [server, repository, project] = [env['GITHUB_SERVER_URL'], env['GITHUB_REPOSITORY'], env['CI_PROJECT_URL']];
  if (server && repository) return { forge: 'github', url: `${server}/${repository}` };
  if (project) return { forge: 'gitlab', url: project };
  const opened = await checkout.opened;
  const name = opened.kind === 'open' ? await findRepositoryName(opened.repository) : undefined;
  const forge = FORGES.find((one) => name?.split('/')[0]?.includes(one));
  return name === undefined || forge === undefined ? undefined : { forge, url: `https://${name}` };
}

const FORGES: readonly ForgeAddress['forge'][] = ['github', 'gitlab', 'bitbucket'];
