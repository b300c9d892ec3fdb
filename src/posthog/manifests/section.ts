/** The section of one PostHog kind: what it builds, and for what project. */

import type { ManifestSection, ResolveScope } from '../../manifest/section.ts';
import type { DesiredState } from '../desired.ts';
import type { Project } from '../project.ts';

export type Section = ManifestSection<DesiredState, Project>;
export type SectionScope = ResolveScope<Project>;
