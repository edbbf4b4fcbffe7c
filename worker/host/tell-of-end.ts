/** What a person who has started a runner host is told of its end: why it comes, and what becomes of its agents. */

export interface Agents {
  /** Their programs have not ended. */
  running: number;
  /** They have ended, and the server has not taken all that they said. */
  untold: number;
}

export interface EndTold {
  stops(by: string): void;
  drains(by: string): void;
  /** It takes work again, if it was to let its agents finish. */
  resumes(): void;
  over(): void;
}

interface Why {
  by: string;
  isDrain: boolean;
  /** That were running when it was told to end. */
  agents: number;
}

export function tellOfEnd(deps: { agents(): Agents; say(line: string): void }): EndTold {
  let why: Why | null = null;

  function begin(by: string, isDrain: boolean, fate: string): void {
    const agents = deps.agents().running;
    why = { by, isDrain, agents };
    if (agents > 0) deps.say(`stopping (${by}): ${are(agents)} running and ${fate}`);
  }
  return {
    // A terminal sends Ctrl-C to the whole group, and so it comes twice.
    stops(by) {
      if (why !== null && !why.isDrain) return;
      const lost = "what is lost fails or runs again, as its runner's onLost says";
      begin(by, false, `will be asked to stop; ${lost}`);
    },
    drains(by) {
      if (why === null) begin(by, true, 'will finish; nothing new is begun');
    },
    resumes() {
      if (why?.isDrain) why = null;
    },
    over() {
      deps.say(why === null ? 'stopped' : overIn(why, deps.agents()));
    },
  };
}

function overIn({ by, isDrain, agents }: Why, { running, untold }: Agents): string {
  const ended = Math.max(0, agents - running);
  const fate = isDrain ? 'finished' : 'ended';
  return [
    `stopped (${by})`,
    agents === 0 ? 'no agent was running' : `${count(ended)} ${fate}`,
    ...(running === 0 ? [] : [`${are(running)} left running, and ended at its next start`]),
    ...(untold === 0 ? [] : [`what ${count(untold)} said is kept here for its next start`]),
  ].join('; ');
}

const count = (agents: number) => (agents === 1 ? '1 agent' : `${agents} agents`);
const are = (agents: number) => `${count(agents)} ${agents === 1 ? 'is' : 'are'}`;
