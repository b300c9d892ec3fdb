/** The configuration as code receives it: defaults applied, names checked, paths absolute. */

import type { Project } from '../posthog/project.ts';

export interface Config {
  /** Absolute folder of flagwright.yaml, or the working directory where there is none. */
  readonly root: string;
  /** The configuration file as it was named, or relative to the working directory; absent where there is none. */
  readonly file?: string;
  /** Globs of manifests, relative to `root`. */
  readonly manifests: readonly string[];
  /** The project that is meant when none is named; absent when there are several and none was made the default. */
  readonly defaultProject?: string;
  readonly projects: Readonly<Record<string, ProjectConfig>>;
  /** Globs over the keys of unmanaged flags. */
  readonly scope: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  readonly limits: Limits;
  /** Globs over keys of flags that are not deleted or disabled without being named. */
  readonly protected: readonly string[];
}

export interface Limits {
  readonly deletes: number;
  readonly deletes_percent: number;
  /** Absent: any number. */
  readonly updates?: number;
  readonly updates_percent: number;
  /** Active flags that are disabled. */
  readonly disables: number;
}

export type ProjectConfig = RemoteProject | EmbeddedProject;

/** A project of a service that is reached over HTTP. */
export interface RemoteProject extends Project {
  readonly service: 'remote';
  /** Origin, with the base path if there is one, without a trailing slash. */
  readonly host: string;
  readonly projectId: string;
  /** Name of the environment variable that holds the API key. */
  readonly apiKeyVariable: string;
  readonly requestsPerMinute: number;
}

/** A project of the embedded service. */
export interface EmbeddedProject extends Project {
  readonly service: 'embedded';
  readonly projectId: '1';
  /** Absolute path of the database. */
  readonly data: string;
  readonly profile: 'documented' | 'posthog';
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const DEFAULT_MANIFESTS: readonly string[] = ['flags/**/*.yaml'];
export const DEFAULT_API_KEY_VARIABLE = 'POSTHOG_API_KEY';
export const DEFAULT_REQUESTS_PER_MINUTE = 480;
