/** What a merge works with: live state, manifests as texts and as read, and what was decided so far. */

import type { LiveState } from '../../posthog/live.ts';
import type { Project } from '../../posthog/project.ts';
import { takeSnapshot, type ProjectSnapshot } from '../../posthog/snapshot.ts';
import type { NotMergedReason } from '../export.ts';
import { readTexts, type ManifestText, type ReadTexts } from './texts.ts';

export interface MergeInput {
  readonly live: LiveState;
  /** Whether the role access of every flag was read, and is declared where no manifest does. */
  readonly withRoleAccess: boolean;
  /** The project that is merged, with the names that manifests may use. */
  readonly project: Project;
  /** Every project of the configuration. */
  readonly projects: readonly Project[];
  readonly manifests: readonly ManifestText[];
  /** The keys of the flags to merge; absent: all. */
  readonly keys?: ReadonlySet<string>;
}

export interface Context extends MergeInput {
  readonly allProjects: readonly string[];
  readonly read: ReadTexts;
  readonly snapshot: ProjectSnapshot;
  readonly isSelected: (key: string) => boolean;
}

export function contextOf(input: MergeInput): Context {
  const allProjects = input.projects.map(({ name }) => name);
  return {
    ...input,
    allProjects,
    read: readTexts(input.manifests, allProjects),
    snapshot: takeSnapshot(input.live),
    isSelected: (key) => input.keys?.has(key) !== false,
  };
}

export interface Decisions {
  /** Keys that are left as they are. */
  readonly excluded: ReadonlyMap<string, NotMergedReason>;
  /** Keys whose filters are written as they are, since they break rules. */
  readonly unchecked: ReadonlySet<string>;
}
