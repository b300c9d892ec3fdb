/** Checks the repository around the configuration: the checkout, what is committed, and whether what was applied last can be read. */

import { defined } from '../../base/optional.ts';
import type { NoBaseReason } from '../../engine/base.ts';
import { readBranch, readCommit } from '../../git/read-head.ts';
import { listRemotes } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { resultOf, type CheckResult } from '../../report/check-result.ts';
import { whyNotOpen, withCheckout, type Checkout } from '../applied/open-checkout.ts';
import { findRecorded } from '../applied/find-base.ts';
import { findManifestCommit } from '../applied/find-manifest-commit.ts';
import type { Surroundings } from './surroundings.ts';

const SUBJECT = { section: 'git' } as const;

export async function checkGit(surroundings: Surroundings): Promise<CheckResult[]> {
  const { session, configuration } = surroundings;
  const { config } = configuration;
  return withCheckout(session, config, async (checkout) => {
    const opened = await checkout.opened;
    if (opened.kind !== 'open') return [noCheckout(whyNotOpen(opened), config.base.push)];
    return [
      await describeCheckout(opened.repository),
      ...(await checkCommitted(surroundings, checkout)),
      ...(await checkBases(surroundings, checkout)),
    ];
  });
}

/** A missing checkout is fine, unless the configuration shares by git what was applied. */
function noCheckout(reason: NoBaseReason, remote: string | undefined): CheckResult {
  const isRefused = reason.code === 'git_refused' || remote !== undefined;
  const status = isRefused ? 'problem' : reason.code === 'git_missing' ? 'warning' : 'skipped';
  return resultOf(SUBJECT, status, ['no_checkout', { reason, ...defined({ shared_by: remote }) }]);
}

async function describeCheckout(repository: Repository): Promise<CheckResult> {
  const { folder, shallow } = repository;
  const [branch, commit, remotes] = await Promise.all([
    readBranch(folder),
    readCommit(folder),
    listRemotes(repository),
  ]);
  return resultOf(SUBJECT, 'ok', ['checkout', { ...defined({ branch, commit }), shallow, remotes }]);
}

async function checkCommitted({ manifests, configuration }: Surroundings, checkout: Checkout): Promise<CheckResult[]> {
  const { config, projects } = configuration;
  const [project] = projects;
  const { known } = await manifests();
  if (project === undefined) return [];
  const found = await findManifestCommit({ loaded: { config, project }, checkout, known });
  switch (found.kind) {
    case 'none':
      return [];
    case 'committed':
      return [resultOf(SUBJECT, 'ok', ['manifests_committed', { commit: found.commit }])];
    case 'not_committed':
      return [resultOf(SUBJECT, 'warning', ['manifests_not_committed', { reason: found.reason }])];
  }
}

async function checkBases({ session, configuration }: Surroundings, checkout: Checkout): Promise<CheckResult[]> {
  const { config, projects } = configuration;
  const results: CheckResult[] = [];
  for (const project of projects) {
    const subject = { ...SUBJECT, project: project.name };
    const base = await findRecorded(session, { loaded: { config, project }, checkout });
    if (base.kind === 'commit') {
      results.push(resultOf(subject, base.unread === undefined ? 'ok' : 'warning', ['base', base]));
    } else {
      results.push(
        resultOf(subject, base.reason.code === 'not_recorded' ? 'ok' : 'problem', ['no_base', { reason: base.reason }]),
      );
    }
  }
  return results;
}
