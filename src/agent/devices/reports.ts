/**
 * What the yard is told about those who hold devices: that one uses more than is kept for it, and once what the first
 * of a kind has shown. What follows from that is the core's business. Pure but for what it notes on the tenant.
 */

import type { Observation } from '../../model/command.ts';
import type { DeviceUse } from '../../model/device-use.ts';
import { attemptIdOf, type Holding, type Tenant, usesOf } from './tenant.ts';

/** In thousandths of a device: growing by less is not worth a word. */
const NEWS_MILLIS = 10;

/** What there is to report now; null: nothing. */
export function newsOf(
  tenant: Tenant,
  ranMs: number,
  learnAfterMs: number,
): Extract<Observation, { type: 'deviceUseSeen' }> | null {
  const isLearning = tenant.holdings.some(({ share }) => share.learningOn !== undefined);
  const showsNow = isLearning && !tenant.hasShown && ranMs >= learnAfterMs;
  if (!showsNow && !tenant.holdings.some((holding) => hasGrown(holding, tenant))) return null;
  const uses = usesOf(tenant).map(withoutCurve);
  if (uses.length === 0) return null;
  if (showsNow) tenant.hasShown = true;
  for (const holding of tenant.holdings) holding.reportedBytes = peakOf(holding);
  return { type: 'deviceUseSeen', attempt: attemptIdOf(tenant), uses, ranMs: Math.round(ranMs) };
}

/** What is kept for it may have changed since we were told, so what was reported counts once something was. */
function hasGrown(holding: Holding, { hasShown }: Tenant): boolean {
  const { share, device, reportedBytes, rollup } = holding;
  const fullBytes = device.memoryBytes || (rollup?.memoryBytes.full ?? 0);
  const peak = peakOf(holding);
  if (peak === null || fullBytes === 0) return false;
  if (reportedBytes !== null) return peak > reportedBytes + (fullBytes * NEWS_MILLIS) / 1000;
  // The first of a kind has all of the device until it is known.
  const isWhole = share.learningOn !== undefined && !hasShown;
  return !isWhole && peak > (fullBytes * share.millis) / 1000;
}

function peakOf({ rollup }: Holding): number | null {
  return rollup === null || rollup.memoryBytes.count === 0 ? null : rollup.memoryBytes.peak;
}

function withoutCurve({ curve: _curve, ...use }: DeviceUse): DeviceUse {
  return use;
}
