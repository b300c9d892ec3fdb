/** Whether only Terraform may change the access rules that it manages: the setting of a project. */

import { isJsonObject } from '../../../src/base/json.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';

export function readManagementSettings({ store }: ServiceContext, { projectId }: Call): Answer {
  return {
    status: 200,
    body: {
      lock_terraform_managed_rules: store.accessRules.isLocked(projectId),
      has_terraform_managed_rules: store.accessRules.hasManaged(projectId),
    },
  };
}

export function writeManagementSettings(service: ServiceContext, call: Call): Answer {
  const sent = isJsonObject(call.body) ? call.body['lock_terraform_managed_rules'] : undefined;
  if (sent === undefined) throw invalid('required', 'This field is required.', 'lock_terraform_managed_rules');
  if (typeof sent !== 'boolean')
    throw invalid('invalid_input', 'Must be a valid boolean.', 'lock_terraform_managed_rules');
  service.store.accessRules.setLock(call.projectId, sent);
  return readManagementSettings(service, call);
}
