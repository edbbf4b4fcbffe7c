import type { ReportAnswer, ReportRequest } from '../../contract/store-api.ts';
import { report as takeReport } from '../../store/lifecycle/report.ts';
import type { Deps } from '../deps.ts';

export async function report(deps: Deps, request: ReportRequest): Promise<ReportAnswer> {
  return deps.store.write((tx) => takeReport(tx, request));
}
