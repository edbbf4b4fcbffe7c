import type { ReportAnswer, ReportRequest } from '../../contract/store-api.ts';
import { reach } from '../../faults/reach.ts';
import { report as takeReport } from '../../store/lifecycle/report.ts';
import type { Deps } from '../deps.ts';

export async function report(deps: Deps, request: ReportRequest): Promise<ReportAnswer> {
  const answer = await deps.store.write((tx) => takeReport(tx, request));
  const isEnding = request.reports.some((one) => one.type !== 'event');
  reach(isEnding ? 'finish committed' : 'events kept');
  return answer;
}
