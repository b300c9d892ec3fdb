/** What editing works with: live state of one project, and manifests as texts and as read. */

import type { LiveState } from '../posthog/live.ts';
import type { Project } from '../posthog/project.ts';
import { takeSnapshot, type ProjectSnapshot } from '../posthog/snapshot.ts';
import { readTexts, type ManifestText, type ReadTexts } from './texts.ts';

export interface EditingInput {
  readonly live: LiveState;
  /** The project whose live state is written, with the names that manifests may use. */
  readonly project: Project;
  /** Every project of the configuration. */
  readonly projects: readonly Project[];
  readonly manifests: readonly ManifestText[];
}

export interface EditingContext extends EditingInput {
  readonly allProjects: readonly string[];
  readonly read: ReadTexts;
  readonly snapshot: ProjectSnapshot;
}

export function toEditingContext(input: EditingInput): EditingContext {
  const { live, project, projects, manifests } = input;
  const allProjects = projects.map(({ name }) => name);
  return {
    live,
    project,
    projects,
    manifests,
    allProjects,
    read: readTexts(manifests, allProjects),
    snapshot: takeSnapshot(live),
  };
}
