/** The GitLab pipeline that `init` writes. `examples/ci` holds the same text, and a test keeps the two equal. */

export const GITLAB_PIPELINE = `# Feature flags as code: a plan on every merge request, apply on the default branch, drift on a schedule.
# To use it, say in .gitlab-ci.yml:   include: [{ local: .gitlab/flags.gitlab-ci.yml }]
#
# Needs the project \`production\` in flagwright.yaml, and under Settings > CI/CD:
#   - the masked variable POSTHOG_READ_KEY: a personal API key with the scope feature_flag:read, for plans and drift;
#   - the masked and protected variable POSTHOG_WRITE_KEY: a key with feature_flag:write, for apply;
#   - the masked and protected variable FLAG_ISSUES_TOKEN: a project access token (role Reporter, scope api), for the issue about drift;
#   - a pipeline schedule for the drift job.

.flags:
  image: node:22
  variables:
    FLAGWRIGHT: flagwright@0.1
    PROJECT: production
  before_script:
    - npm install --global "$FLAGWRIGHT"

.flags-changes: &flags-changes
  - flags/**/*
  - flagwright.yaml

flags:validate:
  extends: .flags
  stage: test
  script:
    - flagwright validate
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
      changes: *flags-changes

flags:plan:
  extends: .flags
  stage: test
  variables:
    POSTHOG_API_KEY: $POSTHOG_READ_KEY
  script:
    - flagwright plan --project "$PROJECT" --out plan.json > plan.txt
  artifacts:
    # Linked from the merge request.
    expose_as: Flag plan
    paths: [plan.txt, plan.json]
    when: always
    expire_in: 1 week
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
      changes: *flags-changes
    - if: $CI_PIPELINE_SOURCE == "web" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
    - if: $CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      changes: *flags-changes

flags:apply:
  extends: .flags
  stage: deploy
  needs: [flags:plan]
  environment: production
  # One apply at a time, and none is cut off half-way.
  resource_group: flags-production
  interruptible: false
  variables:
    POSTHOG_API_KEY: $POSTHOG_WRITE_KEY
  script:
    # Does what the plan says and nothing else. 3: some changes failed; 5: flags moved since the plan, so run the pipeline
    # again for a new one.
    - flagwright apply plan.json --project "$PROJECT" --yes
  rules:
    - if: $CI_PIPELINE_SOURCE == "web" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
    - if: $CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      changes: *flags-changes

flags:drift:
  extends: .flags
  stage: test
  variables:
    POSTHOG_API_KEY: $POSTHOG_READ_KEY
  script:
    - |
      code=0
      flagwright drift --project "$PROJECT" > drift.txt || code=$?
      [ "$code" = 0 ] || [ "$code" = 2 ] || exit "$code"

      # Opens, updates or closes the issue with the label flag-drift.
      issues="$CI_API_V4_URL/projects/$CI_PROJECT_ID/issues"
      call() { curl --fail --silent --show-error --header "PRIVATE-TOKEN: $FLAG_ISSUES_TOKEN" "$@"; }
      issue=$(call "$issues?labels=flag-drift&state=opened&per_page=1" | node -p 'JSON.parse(fs.readFileSync(0))[0]?.iid ?? ""')
      if [ "$code" = 0 ]; then
        [ -z "$issue" ] || call --request PUT "$issues/$issue" --data state_event=close > issue.json
        exit 0
      fi
      # Indented text is a code block, out of which nothing can break that a flag's description says.
      {
        echo "Flags in $PROJECT are not as declared on the default branch."
        echo "Either declare what was changed, or run the pipeline by hand to undo it."
        echo
        sed 's/^/    /' drift.txt
      } > drift.md
      if [ -n "$issue" ]; then
        call --request PUT "$issues/$issue" --data-urlencode description@drift.md > issue.json
      else
        call --request POST "$issues" --data labels=flag-drift \\
          --data-urlencode "title=Flags in $PROJECT have drifted" --data-urlencode description@drift.md > issue.json
      fi
  artifacts:
    paths: [drift.txt]
    when: always
    expire_in: 1 week
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
`;
