/** The resolved configuration: defaults applied, names checked, paths absolute. */

import type { Place } from '../base/place.ts';
import type { Guard } from '../core/rollout/guard.ts';
import type { WrittenGuard } from './guards.ts';
import type { SafetyOrigins } from '../core/engine/safety.ts';
import type { PolicySet } from '../review/policy/built-in.ts';
import type { Project } from '../posthog/project.ts';
import type { WrittenOwnership } from './ownership.ts';
import type { WrittenPolicies } from './policies.ts';

export interface Config {
  /** Absolute folder of flagwright.yaml, or the working directory without one. */
  readonly root: string;
  /** The configuration file as the user named it, or relative to the working directory; absent without one. */
  readonly file?: string;
  /** Globs of manifests, relative to `root`. */
  readonly manifests: readonly string[];
  /** Globs of test files, relative to `root`; absent: the default, which passes over YAML of other programs. */
  readonly tests?: readonly string[];
  /** The project when none is selected; absent if there are several and no default. */
  readonly defaultProject?: string;
  readonly projects: Readonly<Record<string, ProjectConfig>>;
  /** Globs over the keys of unmanaged flags. */
  readonly scope: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  readonly limits: Limits;
  /** Globs over the keys of flags that need permission by key to be deleted, disabled or renamed. */
  readonly protected: readonly string[];
  /** The places that set the limits and the protected keys. */
  readonly origins: SafetyOrigins;
  /** How plan and apply treat values that only the service changed since the base. */
  readonly drift: 'revert' | 'keep';
  readonly base: BaseConfig;
  /** How often the steps of rollouts are made, in ms; absent: the default. */
  readonly stepsEvery?: number;
  /** What guarded steps wait for. */
  readonly guards: readonly Guard[];
  readonly refs: RefsConfig;
  /** What the tags begin with that name an owner; absent: the default. */
  readonly ownerTags?: readonly string[];
  /** The directions in which `promote` may copy; absent: every one. */
  readonly promotions?: { readonly allowed: readonly Direction[]; readonly place: Place };
  /** Rules about changes; absent if the file has none. */
  readonly policies?: PolicySet;
  /** The file of exceptions from rules, relative to `root`. */
  readonly exceptions: string;
}

/** From one project to another, by their names. */
export interface Direction {
  readonly from: string;
  readonly to: string;
}

/** Where code reads flags, and how it names them. Globs are relative to the top of the repository. */
export interface RefsConfig {
  /** How the code of the repositories names flags, as `references/casings.ts` reads it. */
  readonly patterns: readonly string[];
  /** Globs of the files with code; absent: all files. */
  readonly paths?: readonly string[];
  /** Globs of files that are not searched. */
  readonly ignore: readonly string[];
  /** Globs of files whose functions pass on keys that their callers write. */
  readonly wrappers: readonly string[];
  /** The references of other repositories. */
  readonly sources: readonly RefsSource[];
}

export interface RefsSource {
  /** Its name, as its document has it. */
  readonly repository: string;
  /** The document, relative to `root`. */
  readonly file: string;
  /** An older document proves nothing. */
  readonly maxAgeDays: number;
}

/** How the commit that was applied last is recorded. */
interface BaseConfig {
  /** The remote that shares it between clones. */
  readonly push?: string;
}

export interface Limits {
  readonly deletes: number;
  readonly deletes_percent: number;
  /** Absent: unlimited. */
  readonly updates?: number;
  readonly updates_percent: number;
  /** Active flags that are disabled. */
  readonly disables: number;
  /** Changes of one apply over several projects. Absent: unlimited. */
  readonly all_projects?: number;
}

export type ProjectConfig = RemoteProject | EmbeddedProject;

interface Ordered {
  /** The projects that an apply over several brings in sync before this one. */
  readonly after?: readonly string[];
}

/** A project of a service that is reached over HTTP. */
export interface RemoteProject extends Project, Ordered {
  readonly service: 'remote';
  /** Origin, with the base path if there is one, without a trailing slash. */
  readonly host: string;
  readonly projectId: string;
  /** Name of the environment variable that holds the API key. */
  readonly apiKeyVariable: string;
  readonly requestsPerMinute: number;
  /** Projects with the same name here share one limit of requests. Absent: those with the same host and key do. */
  readonly requestBudget?: string;
}

/** A project of the embedded service. */
export interface EmbeddedProject extends Project, Ordered {
  readonly service: 'embedded';
  readonly projectId: '1';
  /** Absolute path of the database. */
  readonly data: string;
  readonly profile: 'documented' | 'posthog';
  /** The project stands for a remote one whose address is missing, in a run that sends no requests. */
  readonly isStandIn?: true;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_MANIFESTS: readonly string[] = ['flags/**/*.{yaml,yml}'];
export const DEFAULT_REFS: RefsConfig = { patterns: [], ignore: [], wrappers: [], sources: [] };
export const DEFAULT_EXCEPTIONS = 'exceptions.yaml';
export const DEFAULT_MAX_AGE_DAYS = 7;
export const DEFAULT_API_KEY_VARIABLE = 'POSTHOG_API_KEY';
export const DEFAULT_REQUESTS_PER_MINUTE = 480;

export interface WrittenConfig {
  readonly manifests?: readonly string[];
  readonly tests?: readonly string[];
  readonly default_project?: string;
  readonly projects?: Readonly<Record<string, WrittenProject | null>> | null;
  readonly scope?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly limits?: Partial<Limits>;
  readonly protected?: readonly string[];
  readonly drift?: Config['drift'];
  readonly base?: BaseConfig;
  readonly rollouts?: { readonly every?: string };
  readonly guards?: Readonly<Record<string, WrittenGuard>>;
  readonly refs?: Partial<Omit<RefsConfig, 'sources'>> & { readonly sources?: readonly WrittenSource[] };
  readonly owners?: { readonly tag?: string };
  readonly ownership?: readonly WrittenOwnership[];
  readonly promotions?: readonly Direction[];
  readonly policies?: WrittenPolicies;
  readonly exceptions?: string;
}

interface WrittenSource extends Omit<RefsSource, 'maxAgeDays'> {
  readonly max_age_days?: number;
}

export interface WrittenProject {
  readonly service?: 'remote' | 'embedded';
  readonly host?: string;
  readonly project_id?: string | number;
  readonly api_key_env?: string;
  readonly roles?: Readonly<Record<string, string>> | null;
  readonly cohorts?: Readonly<Record<string, number>> | null;
  readonly requests_per_minute?: number;
  readonly request_budget?: string;
  readonly after?: readonly string[];
  readonly property_matching_version?: 1 | 2;
  readonly profile?: 'documented' | 'posthog';
}
