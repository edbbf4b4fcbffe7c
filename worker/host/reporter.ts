/** Brings the reports of one run to the store, in order; on disk while the server is away. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import { limits } from '../../contract/limits.ts';
import type { Report, RunKey } from '../../contract/store-api.ts';
import { Backlog } from './backlog.ts';
import { reach } from '../../faults/reach.ts';
import { createTrouble, type Trouble } from './insist.ts';
import { isRefusal, isUnknownRun, type StoreApi } from './store-api.ts';
import type { Spool } from './spool.ts';

type Unnumbered<T> = T extends unknown ? Omit<T, 'n'> : never;
export type UnnumberedReport = Unnumbered<Report>;

export interface ReporterDeps {
  api: Pick<StoreApi, 'report'>;
  host: { hostId: string; bootId: string };
  run: RunKey;
  spool: Spool;
  /** The store says that the run is not ours any more. */
  onLost(): void;
  log: Log;
  /** Tests are less patient. */
  unheardMs?: number;
}

/** What may wait in memory; more holds the program back until the store, or the disk, has taken some. */
const QUEUE_BYTES_MAX = 4 * 1024 * 1024;
const RETRY_MS = 250;
/** So long an event waits for company: a program's last words and its ending are then one report. */
const COMPANY_MS = 15;

export class Reporter {
  readonly #deps: ReporterDeps;
  readonly #backlog: Backlog;
  /** The server may hear this host and not take its reports: a gateway bounds what it lets through. */
  readonly #trouble: Trouble;
  #n = 0;
  #isAway = false;
  #hasEnding = false;
  #sending: Promise<void> | null = null;
  /** Ends the wait for company. */
  #hurry: () => void = () => {};

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
    this.#backlog = new Backlog(deps.spool);
    const { invocationId: invocation, runNo: run } = deps.run;
    const log: Log = (message, about) => deps.log(message, { ...about, invocation, run });
    this.#trouble = createTrouble(`reports of ${invocation}/${run}`, { ...deps, log });
  }

  /** Resolves at once, or later when the program is to be held back. */
  push(unnumbered: UnnumberedReport): Promise<void> {
    this.#n += 1;
    this.#backlog.push({ ...unnumbered, n: this.#n });
    this.#hasEnding ||= unnumbered.type !== 'event';
    // An ending goes to the disk before it is sent: a host that is killed meanwhile has not lost it.
    if (this.#isAway || this.#hasEnding) this.#keep();
    if (this.#hasEnding) this.#hurry();
    reach(this.#hasEnding ? 'outcome spooled' : 'output heard');
    this.#sending ??= this.#send();
    return this.#isFull() ? this.#sending : Promise.resolve();
  }

  /** Resolves when everything has been taken by the store, or refused for good. */
  async drained(): Promise<void> {
    while (this.#sending) await this.#sending;
  }

  /** Resolves when this process may end without losing a report: drained, or all of it on disk. */
  async safe(): Promise<void> {
    while (this.#sending && !(this.#isAway && this.#backlog.isOnDisk())) {
      await Promise.race([this.#sending, sleep(RETRY_MS)]);
    }
  }

  #isFull(): boolean {
    const isDiskFull = this.#deps.spool.bytes() > limits.spoolBytesMax;
    return this.#backlog.memoryBytes() > QUEUE_BYTES_MAX || isDiskFull;
  }

  async #send(): Promise<void> {
    const { api, host, run, onLost } = this.#deps;
    if (!this.#hasEnding) await this.#company();
    for (let reports = this.#next(); reports.length > 0; reports = this.#next()) {
      try {
        const answer = await api.report({ ...host, ...run, reports });
        const isEnding = reports.some((report) => report.type !== 'event');
        reach(isEnding ? 'outcome taken' : 'events reported');
        this.#backlog.drop(reports.length);
        this.#isAway = false;
        this.#trouble.over();
        if (!answer.held && !isEnding) onLost();
      } catch (error) {
        if (isRefusal(error)) this.#giveUp(reports, error);
        else await this.#beAway(error);
      }
    }
    this.#forget();
    this.#isAway = false;
    // In the same step as the last look at the backlog: a later report must find nobody sending.
    this.#sending = null;
  }

  async #company(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, COMPANY_MS);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** What cannot be read back from the disk is lost; the run has an ending all the same. */
  #next(): Report[] {
    try {
      return this.#backlog.next();
    } catch (error) {
      this.#log(error);
      this.#forget();
      if (this.#hasEnding) this.#pushLost(this.#n, error);
      return this.#backlog.next();
    }
  }

  /** A run must not stay open because its ending was refused: then at least that much is told. */
  #giveUp(reports: Report[], error: unknown): void {
    const { onLost } = this.#deps;
    this.#log(error);
    if (isUnknownRun(error)) {
      this.#forget();
      onLost();
      return;
    }
    this.#backlog.drop(reports.length);
    const ending = reports.find((report) => report.type === 'outcome');
    if (ending) this.#pushLost(ending.n, error);
  }

  #pushLost(n: number, error: unknown): void {
    const why = `its outcome could not be recorded: ${String(error)}`;
    this.#backlog.push({ type: 'lost', n, why, wasStarted: true });
  }

  /** From the first failure on, what waits is on disk: a killed host must not lose it. */
  async #beAway(error: unknown): Promise<void> {
    this.#isAway = true;
    this.#trouble.lasts(error);
    this.#keep();
    await sleep(RETRY_MS);
  }

  /** What stays on disk although it was taken is sent again by the next boot, and adds nothing. */
  #forget(): void {
    try {
      this.#backlog.clear();
    } catch (error) {
      this.#log(error);
    }
  }

  /** Without room on the disk the reports wait in memory, where only a killed host loses them. */
  #keep(): void {
    try {
      this.#backlog.keep({ durable: this.#isAway });
    } catch (error) {
      this.#log(error);
    }
  }

  #log(error: unknown): void {
    const { run, log } = this.#deps;
    log(`reports of ${run.invocationId}/${run.runNo}: ${String(error)}`, {
      invocation: run.invocationId,
      run: run.runNo,
    });
  }
}
