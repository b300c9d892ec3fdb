/** Finds which evaluator computes the values of a project's flags. */

import type { ProjectConfig } from '../config/config.ts';
import { PROFILES } from '../../service/src/index.ts';
import type { Generation } from '../evaluation/input.ts';

/** PostHog runs the newer one; the embedded service that of its profile. */
export function generationOf(project: ProjectConfig): Generation {
  return project.service === 'embedded' ? PROFILES[project.profile].generation : 'rust-2026';
}
