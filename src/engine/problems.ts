/** The problem that the configuration and manifests share: a project that is not configured. */

export interface ProjectProblems {
  'project-unknown': {
    readonly project: string;
    readonly suggestion?: string;
    /** The projects that a run can select. */
    readonly available?: readonly string[];
  };
}
