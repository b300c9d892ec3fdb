/** A project as every stage knows it: resolved once by `config/`, then only passed on. */

/** The names that manifests may use in place of a project's ids. */
export interface ProjectNames {
  /** Role name to role id (UUID). */
  readonly roles: Readonly<Record<string, string>>;
  /** Cohort alias to cohort id. */
  readonly cohorts: Readonly<Record<string, number>>;
}

/** A project that manifests can be resolved for, without knowing how it is reached. */
export interface Project extends ProjectNames {
  readonly name: string;
}
