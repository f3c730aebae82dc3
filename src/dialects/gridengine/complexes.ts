/**
 * What may be asked for with `-l`: Grid Engine's own attributes, and `gpu`, which sites add. Owns their names, kinds
 * and how a request is compared with what there is. Who has how much of each is not its business.
 */

export interface Complex {
  readonly name: string;
  readonly shortcut: string;
  readonly type: ComplexType;
  readonly relation: '==' | '<=' | '>=';
  readonly requestable: 'YES' | 'NO';
  /** `JOB`: used up once for each job, not for each slot. */
  readonly consumable: 'YES' | 'NO' | 'JOB';
  readonly standard: string;
  readonly urgency: number;
}

export type ComplexType = 'STRING' | 'HOST' | 'INT' | 'DOUBLE' | 'MEMORY' | 'TIME' | 'BOOL';

type Row = readonly [
  string,
  string,
  ComplexType,
  Complex['relation'],
  Complex['requestable'],
  Complex['consumable'],
  string,
  number,
];

const ROWS: readonly Row[] = [
  ['arch', 'a', 'STRING', '==', 'YES', 'NO', 'NONE', 0],
  ['calendar', 'c', 'STRING', '==', 'YES', 'NO', 'NONE', 0],
  ['cpu', 'cpu', 'DOUBLE', '>=', 'YES', 'NO', '0', 0],
  ['display_win_gui', 'dwg', 'BOOL', '==', 'YES', 'NO', '0', 0],
  ['gpu', 'gpu', 'INT', '<=', 'YES', 'JOB', '0', 0],
  ['h_core', 'h_core', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['h_cpu', 'h_cpu', 'TIME', '<=', 'YES', 'NO', '0:0:0', 0],
  ['h_data', 'h_data', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['h_fsize', 'h_fsize', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['h_rss', 'h_rss', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['h_rt', 'h_rt', 'TIME', '<=', 'YES', 'NO', '0:0:0', 0],
  ['h_stack', 'h_stack', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['h_vmem', 'h_vmem', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['hostname', 'h', 'HOST', '==', 'YES', 'NO', 'NONE', 0],
  ['load_avg', 'la', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['load_long', 'll', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['load_medium', 'lm', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['load_short', 'ls', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['m_core', 'core', 'INT', '<=', 'YES', 'NO', '0', 0],
  ['m_socket', 'socket', 'INT', '<=', 'YES', 'NO', '0', 0],
  ['m_thread', 'thread', 'INT', '<=', 'YES', 'NO', '0', 0],
  ['m_topology', 'topo', 'STRING', '==', 'YES', 'NO', 'NONE', 0],
  ['m_topology_inuse', 'utopo', 'STRING', '==', 'YES', 'NO', 'NONE', 0],
  ['mem_free', 'mf', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['mem_total', 'mt', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['mem_used', 'mu', 'MEMORY', '>=', 'YES', 'NO', '0', 0],
  ['min_cpu_interval', 'mci', 'TIME', '<=', 'NO', 'NO', '0:0:0', 0],
  ['np_load_avg', 'nla', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['np_load_long', 'nll', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['np_load_medium', 'nlm', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['np_load_short', 'nls', 'DOUBLE', '>=', 'NO', 'NO', '0', 0],
  ['num_proc', 'p', 'INT', '==', 'YES', 'NO', '0', 0],
  ['qname', 'q', 'STRING', '==', 'YES', 'NO', 'NONE', 0],
  ['rerun', 're', 'BOOL', '==', 'NO', 'NO', '0', 0],
  ['s_core', 's_core', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['s_cpu', 's_cpu', 'TIME', '<=', 'YES', 'NO', '0:0:0', 0],
  ['s_data', 's_data', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['s_fsize', 's_fsize', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['s_rss', 's_rss', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['s_rt', 's_rt', 'TIME', '<=', 'YES', 'NO', '0:0:0', 0],
  ['s_stack', 's_stack', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['s_vmem', 's_vmem', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['seq_no', 'seq', 'INT', '==', 'NO', 'NO', '0', 0],
  ['slots', 's', 'INT', '<=', 'YES', 'YES', '1', 1000],
  ['swap_free', 'sf', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['swap_rate', 'sr', 'MEMORY', '>=', 'YES', 'NO', '0', 0],
  ['swap_rsvd', 'srsv', 'MEMORY', '>=', 'YES', 'NO', '0', 0],
  ['swap_total', 'st', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['swap_used', 'su', 'MEMORY', '>=', 'YES', 'NO', '0', 0],
  ['tmpdir', 'tmp', 'STRING', '==', 'NO', 'NO', 'NONE', 0],
  ['virtual_free', 'vf', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['virtual_total', 'vt', 'MEMORY', '<=', 'YES', 'NO', '0', 0],
  ['virtual_used', 'vu', 'MEMORY', '>=', 'YES', 'NO', '0', 0],
];

/** By name. */
export const COMPLEXES: readonly Complex[] = ROWS.map(
  ([name, shortcut, type, relation, requestable, consumable, standard, urgency]) => ({
    name,
    shortcut,
    type,
    relation,
    requestable,
    consumable,
    standard,
    urgency,
  }),
);

/** By its name or its shortcut. */
export function complexNamed(word: string): Complex | null {
  return COMPLEXES.find(({ name, shortcut }) => name === word || shortcut === word) ?? null;
}
