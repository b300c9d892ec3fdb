/** The problems of declared role access, and their words. */

import type { OfProjects } from '../../base/diagnostic.ts';
import {
  didYouMean,
  ERROR,
  memberOfProjects,
  projectsHave,
  quoted,
  WARNING,
  type WordsFor,
} from '../../base/wording.ts';

export interface RoleAccessProblems {
  'role-unknown': OfProjects & { readonly role: string; readonly suggestion?: string };
  /** Only the service knows whether the organization has the role. */
  'role-unverified': OfProjects & { readonly role: string };
  'role-glob-matches-nothing': { readonly glob: string };
  'role-access-on-deleted': { readonly key: string };
  /** The flag itself declares another level. */
  'access-conflict': { readonly key: string; readonly role: string; readonly level: string };
  /** The project's service has no levels; `role` is absent for the level of everyone. */
  'access-unsupported': { readonly key: string; readonly level: string; readonly role?: string };
}

export const ROLE_ACCESS_WORDS: WordsFor<RoleAccessProblems> = {
  'role-unknown': {
    title: 'A role is not configured for the project',
    severities: ERROR,
    hint: 'Correct the name, or add the role under `projects.*.roles` in flagwright.yaml, or to the organization.',
    message: ({ role, ...at }) => `${projectsHave(at)} no role ${quoted(role)}.`,
    remedy: ({ suggestion, ...at }) =>
      didYouMean(suggestion, `Add it under ${memberOfProjects(at, 'roles')} in flagwright.yaml, or give its id.`),
  },
  'role-unverified': {
    title: 'A role is not in the configuration; `plan` looks for it in the organization',
    severities: WARNING,
    hint: 'No action needed if the organization has a role with this name.',
    message: ({ role, ...at }) =>
      `${projectsHave(at)} no role ${quoted(role)} in the configuration. A plan looks for it in the organization.`,
  },
  'access-conflict': {
    title: 'A flag and a role declare different levels of access',
    severities: ERROR,
    hint: 'Remove one of the two.',
    message: ({ key, role, level }) =>
      `Role ${quoted(role)} gets the level editor on flag ${quoted(key)}, but the flag declares ${quoted(level)}.`,
  },
  'access-unsupported': {
    title: 'A level of access is declared for a service that has no levels',
    severities: ERROR,
    hint: 'Declare only roles that can edit, or limit the declaration to other projects.',
    message: ({ key, level, role }) =>
      role === undefined
        ? `Flag ${quoted(key)} declares the level ${quoted(level)} for everyone, but the project's service has no such level.`
        : `Flag ${quoted(key)} declares the level ${quoted(level)} for role ${quoted(role)}, but on the project's service roles can only edit.`,
    remedy: () =>
      'Use `role_access` for the roles that can edit, and move `access` to the overlays of projects with levels (`projects.*.access`).',
  },
  'role-glob-matches-nothing': {
    title: 'A glob matches no declared flag',
    severities: WARNING,
    hint: 'Correct or remove the glob.',
    message: ({ glob }) => `No declared flag matches ${quoted(glob)}.`,
  },
  'role-access-on-deleted': {
    title: 'Role access is granted on a flag that is declared as deleted',
    severities: WARNING,
    hint: 'Remove the flag from the list.',
    message: ({ key }) => `Flag ${quoted(key)} is declared as deleted, so no role gets access to it.`,
  },
};
