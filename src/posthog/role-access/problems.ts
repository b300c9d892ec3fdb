/** The problems of declared role access. */

export interface RoleAccessProblems {
  'role-unknown': { readonly role: string; readonly project: string; readonly suggestion?: string };
  /** Only the service knows whether the organization has the role. */
  'role-unverified': { readonly role: string; readonly project: string };
  'role-glob-matches-nothing': { readonly glob: string };
  'role-access-on-deleted': { readonly key: string };
  /** The flag itself declares another level. */
  'access-conflict': { readonly key: string; readonly role: string; readonly level: string };
  /** The project's service has no levels; `role` is absent for the level of everyone. */
  'access-unsupported': { readonly key: string; readonly level: string; readonly role?: string };
}
