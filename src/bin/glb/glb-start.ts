/** `glb-start`: a balancer in the foreground, with a log of what it does, until somebody ends it. */

import { type Api, yardApi } from '../../client/api.ts';
import type { Caller } from '../../client/caller.ts';
import { printable } from '../../model/bytes.ts';
import type { JobId } from '../../model/ids.ts';
import type { Answer, JobView, YardView } from '../../model/query.ts';
import { type Balancer, ensureBalancer } from './balancer.ts';
import { banner as bannerText, logLine } from './log-lines.ts';
import { requestLog } from './request-log.ts';
import { type EndingSignals, takeEndingSignals } from './signals.ts';

export interface GlbStart {
  readonly caller: Caller;
  readonly simulateGpus: string | null;
  readonly debug: boolean;
  readonly banner: boolean;
}

const EXIT_GONE = 1;

export async function glbStart({ caller, simulateGpus, debug, banner }: GlbStart): Promise<number> {
  const signals = takeEndingSignals(caller);
  const balancer = await ensureBalancer(caller, simulateGpus);
  const yard = printable(balancer.directory);
  try {
    // From here on nothing is missed, whatever is printed meanwhile.
    const follow = await readyToFollow(balancer, debug);
    if (banner) say(bannerText());
    say(logLine('INFO', `Managing GPUs {${balancer.devices.join(', ')}}`));
    if (!balancer.isOurs) say(logLine('INFO', `The yard in ${yard} was running already, and is used`));
    const follower = follow();
    const how = await Promise.race([follower.gone, askedToEnd(signals)]);
    follower.stop();
    if (how === 'gone') {
      say(logLine('WARNING', `The yard in ${yard} has ended`));
      return EXIT_GONE;
    }
    say(logLine('INFO', '[GPUMaster] Cleaning up...'));
    if (!balancer.isOurs) say(logLine('INFO', `The yard in ${yard} goes on; trainyard down stops it`));
    return 0;
  } finally {
    await balancer.stop();
  }
}

/** Also when nobody reads what it says any more: `glb-start | head -9`. */
function askedToEnd(signals: EndingSignals): Promise<'asked'> {
  return new Promise((resolve) => {
    if (signals.first() !== null) resolve('asked');
    signals.listen(() => resolve('asked'));
    process.stdout.once('error', () => resolve('asked'));
  });
}

interface Follower {
  readonly gone: Promise<'gone'>;
  stop(): void;
}

async function readyToFollow({ socketPath, listeners }: Balancer, debug: boolean): Promise<() => Follower> {
  const api = yardApi(socketPath, listeners);
  const { lastSeq } = await api.get<YardView>('/v1/yard');
  const whyOf = (job: JobId) => api.get<Answer<'explain'>>(`/v1/jobs/${job}/why`);
  const log = debug ? requestLog({ say, whyOf, known: await live(api) }) : null;
  return () => {
    let stop = () => {};
    const gone = new Promise<'gone'>((resolve) => {
      stop = api.follow(lastSeq, { onEvent: ({ event }) => log?.(event), onGone: () => resolve('gone') });
    });
    return { gone, stop };
  };
}

async function live(api: Api): Promise<readonly JobView[]> {
  return (await api.get<{ jobs: readonly JobView[] }>('/v1/jobs?phase=pending,active&limit=99999')).jobs;
}

function say(text: string): void {
  process.stdout.write(text);
}
