/** What an attempt finds around it, as far as its environment speaks of it. */

import type { LaunchSurroundings } from './launch.ts';
import type { LiveAttempt } from './live.ts';
import type { AgentParts } from './parts.ts';

export function surroundingsOf(parts: AgentParts, live: LiveAttempt, node: string): LaunchSurroundings {
  return {
    yardId: parts.yardId,
    yardDirectory: parts.yardDirectory,
    node: parts.nodes.get(node) ?? null,
    kept: live.kept,
    ownDir: parts.ownDirs.of(live.attempt.id),
    againExitCode: parts.againExitCode,
    endsAt: endsAt(live, parts.now()),
    commands: parts.commands,
    python: parts.python,
  };
}

/** As it is known now: it may be suspended later, and its limit may be changed. */
function endsAt({ job, phase, runningSince }: LiveAttempt, now: number): number | null {
  const { limitMs } = job.spec;
  if (limitMs === null) return null;
  return now + limitMs - (phase === 'running' ? performance.now() - runningSince : 0);
}
