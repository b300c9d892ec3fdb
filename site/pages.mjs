// The pages of the documentation site: where each file of the repository is, and the order of the sidebar. The landing page is not among them.

export const GROUPS = [
  {
    title: 'Begin',
    pages: [
      'README.md',
      'docs/adopting.md',
      'docs/daily-work.md',
      'docs/clicks.md',
      'docs/editor.md',
      'docs/docker.md',
    ],
  },
  {
    title: 'Write manifests',
    pages: [
      'docs/manifest.md',
      'docs/conditions.md',
      'docs/ownership.md',
      'docs/access.md',
      'docs/cohorts.md',
      'docs/early-access.md',
      'docs/configuration.md',
      'docs/testing.md',
      'docs/diagnostics.md',
      'docs/diagnostics/configuration.md',
    ],
  },
  {
    title: 'Change flags',
    pages: [
      'docs/exceptions.md',
      'docs/safety.md',
      'docs/removing.md',
      'docs/requests.md',
      'docs/rollouts.md',
      'docs/guarded-rollouts.md',
      'docs/effects.md',
      'docs/reviewing.md',
      'docs/policies.md',
      'docs/own-rules.md',
      'docs/reports.md',
    ],
  },
  {
    title: 'Commands',
    pages: [
      'docs/commands.md',
      'docs/commands/init.md',
      'docs/commands/export.md',
      'docs/commands/doctor.md',
      'docs/commands/validate.md',
      'docs/commands/test.md',
      'docs/commands/plan.md',
      'docs/commands/apply.md',
      'docs/commands/catalog.md',
      'docs/commands/drift.md',
      'docs/commands/accept.md',
      'docs/commands/explain.md',
      'docs/commands/show.md',
      'docs/commands/snapshot.md',
      'docs/commands/rehearse.md',
      'docs/commands/off.md',
      'docs/commands/undo.md',
      'docs/commands/history.md',
      'docs/commands/promote.md',
      'docs/commands/parity.md',
      'docs/commands/projects.md',
      'docs/commands/generate.md',
      'docs/commands/refs.md',
      'docs/commands/stale.md',
      'docs/commands/serve.md',
      'docs/commands/flags.md',
      'docs/commands/role-access.md',
      'docs/commands/roles.md',
      'docs/commands/cohorts.md',
      'docs/commands/early-access.md',
      'docs/commands/persons.md',
      'docs/commands/completion.md',
    ],
  },
  {
    title: 'Git and the service',
    pages: [
      'docs/doctor.md',
      'docs/several-projects.md',
      'docs/base.md',
      'docs/evaluation.md',
      'docs/evaluation/posthog-node.md',
      'docs/service.md',
      'docs/service/rules.md',
      'docs/service/approvals.md',
      'docs/service/access.md',
      'docs/service/activity.md',
      'docs/service/scheduled-changes.md',
      'docs/service/alerts.md',
      'docs/service/cohorts.md',
      'docs/service/early-access.md',
      'docs/service/persons.md',
    ],
  },
  {
    title: 'Examples',
    pages: [
      'examples/README.md',
      'examples/ci/README.md',
      'examples/quickstart/README.md',
      'examples/multi-project/README.md',
      'examples/role-access/README.md',
    ],
  },
  {
    title: 'Programs and tests',
    pages: [
      'docs/typed-flags.md',
      'docs/references.md',
      'docs/testing-code.md',
      'docs/openfeature.md',
      'docs/library.md',
      'docs/interface.md',
      'docs/embedded.md',
      'docs/embedded/profiles.md',
      'docs/embedded/seeds.md',
      'docs/embedded/persons.md',
      'docs/faults.md',
    ],
  },
  {
    title: 'About',
    pages: [
      'docs/security.md',
      'docs/security/promises.md',
      'docs/comparison.md',
      'docs/terraform.md',
      'docs/glossary.md',
      'UPGRADING.md',
      'CHANGELOG.md',
    ],
  },
];

export const PAGES = GROUPS.flatMap(({ pages }) => pages);

/** `README.md` → `/start`, `docs/base.md` → `/base`, `examples/ci/README.md` → `/examples/ci/`. */
export function addressOf(file) {
  if (file === 'README.md') return '/start';
  const name = file.replace(/^docs\//, '').replace(/\.md$/, '');
  return `/${name === 'UPGRADING' || name === 'CHANGELOG' ? name.toLowerCase() : name.replace(/README$/, '')}`;
}

export function titleOf(text) {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

/** The anchors that GitHub gives to headings, so that links to them hold in the repository and on the site. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
