/** The GitHub workflow that `init` writes. `examples/ci` holds the same text, and a test keeps the two equal. */

export const GITHUB_WORKFLOW = `# Feature flags as code: a plan on every pull request, apply on the main branch, drift every morning.
#
# Needs the project \`production\` in flagwright.yaml, and under Settings:
#   - the secret POSTHOG_READ_KEY: a personal API key with the scope feature_flag:read, for plans and drift;
#   - an environment \`production\` with the secret POSTHOG_API_KEY: a key with feature_flag:write, for apply.
#     Give that environment reviewers if somebody shall look at the plan once more before it is applied.
name: flags

on:
  pull_request:
    paths: [flags/**, flagwright.yaml, .github/workflows/flags.yml]
  push:
    branches: [main]
    paths: [flags/**, flagwright.yaml, .github/workflows/flags.yml]
  schedule:
    - cron: '17 6 * * *'
  # By hand: plan and apply what the main branch says, for instance to undo drift.
  workflow_dispatch:

permissions:
  contents: read

env:
  FLAGWRIGHT: flagwright@0.1
  PROJECT: production

defaults:
  run:
    shell: bash

jobs:
  validate:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@v5
        with: { persist-credentials: false }
      - uses: actions/setup-node@v5
        with: { node-version: 22 }
      - run: npm install --global "$FLAGWRIGHT"
      - run: flagwright validate

  plan:
    # A pull request from a fork gets no secrets: it is validated above, and planned after the merge.
    if: >-
      github.ref == 'refs/heads/main' && github.event_name != 'schedule' ||
      github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      contents: read
      pull-requests: write
    outputs:
      code: \${{ steps.plan.outputs.code }}
    steps:
      - uses: actions/checkout@v5
        with: { persist-credentials: false }
      - uses: actions/setup-node@v5
        with: { node-version: 22 }
      # Installed before the key is there, so that no install script sees it.
      - run: npm install --global "$FLAGWRIGHT"

      - name: Plan
        id: plan
        env:
          POSTHOG_API_KEY: \${{ secrets.POSTHOG_READ_KEY }}
        run: |
          # 0: in sync, 2: differences, everything else: no plan that could be applied.
          code=0
          flagwright plan --project "$PROJECT" --detailed-exitcode --out plan.json > plan.txt || code=$?
          echo "code=$code" >> "$GITHUB_OUTPUT"
          [ -s plan.txt ] || echo "There is no plan. The log of the job says why." > plan.txt
          # Indented text is a code block, out of which nothing can break that a flag's description says.
          {
            echo "<!-- flagwright plan -->"
            echo "### Flags in $PROJECT: plan"
            echo
            sed 's/^/    /' plan.txt
          } > plan.md
          cat plan.md >> "$GITHUB_STEP_SUMMARY"

      - name: Show the plan in one comment, which is kept up to date
        if: github.event_name == 'pull_request'
        env:
          GH_TOKEN: \${{ github.token }}
          PULL_REQUEST: \${{ github.event.pull_request.number }}
        run: |
          if [ "$(wc -c < plan.md)" -gt 60000 ]; then
            head -c 60000 plan.md > comment.md
            printf '\\n\\nThe rest is in the summary of the run.\\n' >> comment.md
          else
            cp plan.md comment.md
          fi
          comment=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --jq '
            .[] | select(.user.login == "github-actions[bot]")
                | select(.body | startswith("<!-- flagwright plan -->")) | .id')
          if [ -n "$comment" ]; then
            gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/\${comment%%$'\\n'*}" --field body=@comment.md
          else
            gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments" --field body=@comment.md
          fi

      - name: Fail where there is no plan that could be applied
        env:
          CODE: \${{ steps.plan.outputs.code }}
        run: '[ "$CODE" = 0 ] || [ "$CODE" = 2 ]'

      - name: Keep the plan for apply
        if: github.event_name != 'pull_request' && steps.plan.outputs.code == '2'
        uses: actions/upload-artifact@v4
        with:
          name: flag-plan
          path: plan.json
          retention-days: 7

  apply:
    needs: plan
    if: github.event_name != 'pull_request' && needs.plan.outputs.code == '2'
    runs-on: ubuntu-latest
    timeout-minutes: 60
    environment: production
    # One apply at a time, and none is cut off half-way.
    concurrency: { group: flags-production, cancel-in-progress: false }
    steps:
      - uses: actions/checkout@v5
        with: { persist-credentials: false }
      - uses: actions/setup-node@v5
        with: { node-version: 22 }
      - run: npm install --global "$FLAGWRIGHT"
      - uses: actions/download-artifact@v4
        with: { name: flag-plan }

      - name: Apply
        env:
          POSTHOG_API_KEY: \${{ secrets.POSTHOG_API_KEY }}
        run: |
          # Does what the plan says and nothing else. 3: some changes failed; 5: flags moved since the plan, so run this
          # workflow again for a new one.
          code=0
          flagwright apply plan.json --project "$PROJECT" --yes > result.txt || code=$?
          { echo "### Flags in $PROJECT: result"; echo; sed 's/^/    /' result.txt; } >> "$GITHUB_STEP_SUMMARY"
          exit "$code"

  drift:
    if: github.event_name == 'schedule'
    runs-on: ubuntu-latest
    timeout-minutes: 15
    permissions:
      contents: read
      issues: write
    steps:
      - uses: actions/checkout@v5
        with: { persist-credentials: false }
      - uses: actions/setup-node@v5
        with: { node-version: 22 }
      - run: npm install --global "$FLAGWRIGHT"

      - name: Compare what is live with what is declared
        id: drift
        env:
          POSTHOG_API_KEY: \${{ secrets.POSTHOG_READ_KEY }}
        run: |
          code=0
          flagwright drift --project "$PROJECT" > drift.txt || code=$?
          echo "code=$code" >> "$GITHUB_OUTPUT"
          [ "$code" = 0 ] || [ "$code" = 2 ] || exit "$code"

      - name: Open, update or close the issue
        env:
          GH_TOKEN: \${{ github.token }}
          GH_REPO: \${{ github.repository }}
          CODE: \${{ steps.drift.outputs.code }}
        run: |
          issue=$(gh issue list --label flag-drift --state open --limit 1 --json number --jq '.[0].number // empty')
          if [ "$CODE" = 0 ]; then
            [ -z "$issue" ] || gh issue close "$issue" --comment "In sync again."
            exit 0
          fi
          {
            echo "Flags in $PROJECT are not as declared on the main branch."
            echo "Either declare what was changed, or run this workflow by hand to undo it."
            echo
            sed 's/^/    /' drift.txt
          } > drift-all.md
          head -c 60000 drift-all.md > drift.md
          if [ -n "$issue" ]; then
            gh issue edit "$issue" --body-file drift.md
          else
            gh label create flag-drift --description "Flags are not as declared" --force
            gh issue create --title "Flags in $PROJECT have drifted" --label flag-drift --body-file drift.md
          fi
`;
