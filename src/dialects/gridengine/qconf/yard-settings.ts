/** How the whole yard is run, as `qconf -sconf` and `-ssconf` show it: what the config decides, and what holds for all. */

import type { Policy } from '../../../model/policy.ts';
import type { YardView } from '../../../model/query.ts';
import { CELL, cellRoot } from '../cell.ts';
import type { Setting } from './layout.ts';

export const CONFIGURATION_WIDTH = 29;
export const SCHEDULER_WIDTH = 34;
const HOUR_MS = 3_600_000;

export function configurationSettings(policy: Policy, yard: YardView): readonly Setting[] {
  return [
    ['execd_spool_dir', `${cellRoot(yard.directory)}/${CELL}/spool`],
    ['mailer', yard.mail ?? 'none'],
    ['xterm', 'none'],
    ['load_sensor', 'none'],
    ['prolog', 'none'],
    ['epilog', 'none'],
    ['shell_start_mode', 'unix_behavior'],
    ['login_shells', 'bash,sh,ksh,csh,tcsh'],
    ['min_uid', '0'],
    ['min_gid', '0'],
    ['user_lists', 'none'],
    ['xuser_lists', 'none'],
    ['projects', 'none'],
    ['xprojects', 'none'],
    ['enforce_project', 'false'],
    ['enforce_user', 'auto'],
    ['load_report_time', '00:00:05'],
    ['max_unheard', '00:05:00'],
    ['reschedule_unknown', '00:00:00'],
    ['loglevel', 'log_warning'],
    ['administrator_mail', yard.user],
    ['set_token_cmd', 'none'],
    ['pag_cmd', 'none'],
    ['token_extend_time', 'none'],
    ['shepherd_cmd', 'none'],
    ['qmaster_params', 'none'],
    ['execd_params', 'none'],
    [
      'reporting_params',
      'accounting=true reporting=false flush_time=00:00:01 accounting_flush_time=00:00:00 joblog=false sharelog=00:00:00',
    ],
    ['finished_jobs', '100'],
    ['gid_range', 'none'],
    ['qlogin_command', 'builtin'],
    ['qlogin_daemon', 'builtin'],
    ['rlogin_command', 'builtin'],
    ['rlogin_daemon', 'builtin'],
    ['rsh_command', 'builtin'],
    ['rsh_daemon', 'builtin'],
    ['max_aj_instances', '0'],
    ['max_aj_tasks', `${policy.maxArraySize}`],
    ['max_u_jobs', `${policy.perUser.maxQueued ?? 0}`],
    ['max_jobs', `${policy.maxQueuedJobs}`],
    ['auto_user_oticket', '0'],
    ['auto_user_fshare', '0'],
    ['auto_user_default_project', 'none'],
    ['auto_user_delete_time', '86400'],
    ['delegated_file_staging', 'false'],
    ['reprioritize', '0'],
    ['jsv_url', 'none'],
    ['jsv_allowed_mod', 'none'],
  ];
}

export function schedulerSettings(policy: Policy): readonly Setting[] {
  return [
    ['algorithm', 'default'],
    ['schedule_interval', '0:0:1'],
    ['maxujobs', `${policy.perUser.maxRunning ?? 0}`],
    ['queue_sort_method', 'load'],
    ['job_load_adjustments', 'NONE'],
    ['load_adjustment_decay_time', '0:0:0'],
    ['load_formula', 'np_load_avg'],
    ['schedd_job_info', 'true'],
    ['flush_submit_sec', '1'],
    ['flush_finish_sec', '1'],
    ['params', 'none'],
    ['reprioritize_interval', '0:0:0'],
    ['halftime', `${Math.round(policy.fairShareHalfLifeMs / HOUR_MS)}`],
    ['usage_weight_list', 'cpu=1.000000,mem=0.000000,io=0.000000'],
    ['compensation_factor', '5.000000'],
    ['weight_user', '0.250000'],
    ['weight_project', '0.250000'],
    ['weight_department', '0.250000'],
    ['weight_job', '0.250000'],
    ['weight_tickets_functional', '0'],
    ['weight_tickets_share', `${policy.weights.fairShare}`],
    ['share_override_tickets', 'TRUE'],
    ['share_functional_shares', 'TRUE'],
    ['max_functional_jobs_to_schedule', '200'],
    ['report_pjob_tickets', 'TRUE'],
    ['max_pending_tasks_per_job', `${policy.passDepth}`],
    ['halflife_decay_list', 'none'],
    ['policy_hierarchy', 'OFS'],
    ['weight_ticket', '0.500000'],
    ['weight_waiting_time', '0.278000'],
    ['weight_deadline', '3600000.000000'],
    ['weight_urgency', '0.500000'],
    ['weight_priority', '0.000000'],
    ['max_reservation', policy.backfill ? '1' : '0'],
    ['default_duration', 'INFINITY'],
  ];
}
