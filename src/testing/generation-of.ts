/** Finds which evaluator computes the values of a project's flags. */

import type { ProjectConfig } from '../config/config.ts';
import { PROFILES } from '../../service/src/index.ts';
import type { Generation } from '../evaluation/input.ts';

/** PostHog runs the newer one; the embedded service that of its profile. `matching`: the version that the project is known to have. */
export function generationOf(project: ProjectConfig, matching: 1 | 2 | undefined = project.matching): Generation {
  if (project.service === 'embedded' && project.isStandIn !== true) return PROFILES[project.profile].generation;
  return matching === 2 ? 'rust-2026-explicit' : 'rust-2026';
}
