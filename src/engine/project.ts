/** The identity of a project in documents; the same members as `project` in a plan. */

export interface ProjectIdentity {
  readonly name: string;
  /** Origin and base path of the service without a trailing slash; `embedded` for the embedded service. */
  readonly host: string;
  readonly project_id: string;
}
