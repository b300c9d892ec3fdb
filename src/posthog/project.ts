/** A project as every stage receives it: `config/` resolves it once. */

import type { Moment } from '../core/rollout/rollout.ts';
import type { OwnershipRule } from './flag/model/fields.ts';

/** The names that manifests may use instead of a project's ids. */
export interface ProjectNames {
  /** Role name to role id (UUID). */
  readonly roles: Readonly<Record<string, string>>;
  /** Cohort alias to cohort id. */
  readonly cohorts: Readonly<Record<string, number>>;
}

/** A project for which manifests are resolved, without how to reach it. */
export interface Project extends ProjectNames {
  readonly name: string;
  /** Absent: not known. */
  readonly service?: 'remote' | 'embedded';
  /** The `property_matching_version`, by which values are compared with true and false. Absent: not declared. */
  readonly matching?: 1 | 2;
  /** When its manifests are resolved. Absent: nothing that is declared may change over time. */
  readonly moment?: Moment;
  /** The names of the guards that the configuration declares. Absent: not known. */
  readonly guards?: readonly string[];
  /** The rules for values that others decide, by key; a later set is stronger. Absent: git decides. */
  readonly ownership?: readonly OwnershipSet[];
}

/** Rules of the configuration for some flags. */
export interface OwnershipSet {
  readonly matches: (key: string) => boolean;
  readonly rules: readonly OwnershipRule[];
}
