/** The checkout around the configuration, in which a base is searched. git is started at the first question, and never if there is no checkout. */

import type { Config } from '../../config/config.ts';
import type { NoBaseReason, BaseFacts, EarlierBase, RecordedIds } from '../../core/engine/base.ts';
import { commitTree, type CommitTree } from '../../loop/git/commit-tree.ts';
import { gitEnvironment } from '../../loop/git/run-git.ts';
import { GitError, openObjects, type Objects } from '../../loop/git/objects.ts';
import { openRepository, type OpenedRepository, type Repository } from '../../loop/git/repository.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LoadOptions } from '../../posthog/manifests/load.ts';
import type { ManifestFile } from '../../posthog/manifests/manifests.ts';
import type { KnownFiles } from '../project/known-files.ts';
import type { LoadedProject } from '../project/load-project.ts';
import type { Session } from '../session/session.ts';
import type { Progress } from '../../core/rollout/rollout.ts';

export interface Checkout {
  readonly opened: Promise<OpenedRepository>;
  /** One git answers all questions about objects. */
  objectsOf(repository: Repository): Objects;
  /** The files of a commit that the repository has; each is read once. */
  treeOf(repository: Repository, commit: string): CommitTree;
  close(): void;
}

/** What the sessions of one run share: those of its projects and of its moments have the signal in common that ends the run. */
interface OfRun {
  readonly opened: Promise<OpenedRepository>;
  /** Open as long as a part of the run uses it. */
  checkout?: Checkout;
  users: number;
}

const RUNS = new WeakMap<AbortSignal, Map<string, OfRun>>();

/** Asks git once for each run about the repository, however often the run opens the checkout and for how many projects. */
function ofRun({ context, interrupts }: Session, config: Config): OfRun {
  const keys = Object.values(config.projects).flatMap((project) =>
    project.service === 'remote' ? [project.apiKeyVariable] : [],
  );
  const known = RUNS.get(interrupts.stop) ?? new Map<string, OfRun>();
  RUNS.set(interrupts.stop, known);
  // git gets no variable with a key of this configuration.
  const place = [config.root, ...keys].join('\0');
  const own = known.get(place) ?? {
    opened: openRepository({ folder: config.root, env: gitEnvironment(context.env, keys), signal: interrupts.stop }),
    users: 0,
  };
  known.set(place, own);
  return own;
}

function openCheckout(opened: Promise<OpenedRepository>): Checkout {
  let objects: Objects | undefined;
  const trees = new Map<string, CommitTree>();
  let closed = false;
  const objectsOf = (repository: Repository): Objects => {
    // Part of the run may still ask when another part has failed; a new git process would outlive the run.
    if (closed) throw new GitError('the run has ended');
    objects ??= openObjects(repository.caller);
    return objects;
  };
  return {
    opened,
    objectsOf,
    treeOf: (repository, commit) => {
      const tree = trees.get(commit) ?? commitTree(objectsOf(repository), repository, commit);
      trees.set(commit, tree);
      return tree;
    },
    close: () => {
      closed = true;
      objects?.close();
    },
  };
}

export async function withCheckout<Result>(
  session: Session,
  config: Config,
  use: (checkout: Checkout) => Promise<Result>,
): Promise<Result> {
  const own = ofRun(session, config);
  own.checkout ??= openCheckout(own.opened);
  own.users += 1;
  try {
    return await use(own.checkout);
  } finally {
    own.users -= 1;
    if (own.users === 0) {
      own.checkout?.close();
      delete own.checkout;
    }
  }
}

export function whyNotOpen(opened: Exclude<OpenedRepository, { readonly kind: 'open' }>): NoBaseReason {
  switch (opened.kind) {
    case 'none':
      return { code: 'no_repository' };
    case 'git_missing':
      return { code: 'git_missing' };
    case 'refused':
      return { code: 'git_refused', detail: opened.detail };
  }
}

export type RunBase = BaseCommit | { readonly facts: NoBase };

export interface BaseCommit {
  readonly facts: Extract<BaseFacts, { readonly kind: 'commit' }>;
  /** The declarations at the commit for the project of the current configuration. */
  readonly desired: DesiredState;
  readonly files: readonly ManifestFile[];
}

type NoBase = Extract<BaseFacts, { readonly kind: 'none' }>;

export interface BaseSearch {
  readonly loaded: LoadedProject;
  readonly checkout: Checkout;
  /** The manifests on disk. */
  readonly known: KnownFiles;
  /** `--base`: `auto`, `none`, or the name of a commit. Absent: `auto` in a checkout, otherwise `none`. */
  readonly option?: string;
  readonly findRoles?: LoadOptions['findRoles'];
  /** The run contacts no remote: it takes the commit that a snapshot names, or else what this clone knows. */
  readonly snapshot?: { readonly commit?: string } & Partial<Recorded>;
  /** The run must not use the network, so it contacts no remote. */
  readonly offline?: true;
}

/** By flag and time (ISO 8601), the digests of its parts (`review/policy/basis/soak.ts`); null: the part is absent since then. */
export type RecordedSince = {
  readonly [key: string]: { readonly [since: string]: { readonly [part: string]: string | null } };
};

/** What a record says in addition to the commit. */
export interface Recorded {
  readonly earlier: readonly EarlierBase[];
  readonly rollouts: readonly Progress[];
  readonly ids?: RecordedIds;
  /** Since when in one piece each part of the flags was applied; absent unless a policy asks for it. */
  readonly since?: RecordedSince;
}
