/** The problems of declared role access. */

export interface RoleAccessProblems {
  'role-unknown': { readonly role: string; readonly project: string; readonly suggestion?: string };
  'role-glob-matches-nothing': { readonly glob: string };
  'role-access-on-deleted': { readonly key: string };
}
