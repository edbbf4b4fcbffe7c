/**
 * Every point between two effects at which a process may die, grouped by the process that passes it.
 * The tests kill at each of them; `test/tidy.test.ts` sees to it that the code and this list agree.
 *
 * "Uncommitted" points lie inside of the transaction: what was written there is rolled back. What a
 * workflow does between two steps has no point of its own: the engine replays it from the last one.
 */
export const faultPoints = {
  server: {
    'store opened': 'The database is migrated and its waits are forgotten; nobody can call yet.',
    'port open': 'Callers are answered; the keeper and the file that says where we are come next.',
    'secrets kept': 'The values of context.env are on disk; the invocation is not in the store.',
    'accept uncommitted': 'Rows, outbox and slot of a request are written and not committed.',
    accepted: 'The request is committed and its caller does not know.',
    'slot given': 'An invocation has got a slot; uncommitted.',
    'epoch reconciled': 'The engine is compared with the one we knew; nothing was sent to it yet.',
    'rebuild uncommitted': 'Every open invocation is asked for anew; uncommitted.',
    'outbox read': 'Rows that are due were read; nothing was sent.',
    sent: 'The engine has the message, and its row still says queued.',
    marked: 'The row says sent; its effect was not seen.',
    'repair uncommitted':
      'A workflow is missing: what it was to be told is queued again, or dropped.',
    'step taken': 'A workflow was told what is next in the store, and has not heard it.',
    'session step taken': "The same for an external session's workflow.",
    claimed: 'A run is in the store, and its host does not know that it has it.',
    'callbacks handed': 'A run is given its callbacks, each a turn of the transcript; uncommitted.',
    'events kept': 'Output is committed, and its host does not know.',
    'callback queued': 'The ending of a child is in the mailbox of its parent; uncommitted.',
    'ending uncommitted': 'Status, callback, poke and slot of an ending; uncommitted.',
    'finish committed': 'An ending is committed, and its host does not know.',
    'standing by': 'A run has ended and its invocation waits for children; uncommitted.',
    'wait begun': 'An agent stands still for its children and has lent its slot.',
    'wait over': 'What a caller waits for has ended, and the caller has not heard it.',
    acknowledged: 'An external session has read its callbacks, and does not know that it is noted.',
    'cancel uncommitted': 'A tree is flagged and what does not run has ended; uncommitted.',
    'cancel flagged': 'A cancel is committed; who asked for it and the hosts have not heard.',
    'start ordered': 'A host is about to be told what it has got a slot for.',
    'orders given': 'A host is about to be told what to stop.',
    'time uncommitted': 'What time brings about: deadlines, silent hosts, rows to be sent again.',
    'lost marked': 'A run is lost and what it had been handed is given back; uncommitted.',
    'hello recorded': "A host's new boot is in the store, its old runs are lost; it has not heard.",
  },
  host: {
    'boot swept': 'What an older boot left running is ended and its spools are sent; no hello yet.',
    'hello answered': 'This boot may claim; it has not begun to.',
    'left spool sent':
      'The store has what an older boot had left on disk, and it lies there still.',
    'start heard': 'We know what to begin, and nothing was claimed.',
    'lease taken': 'The engine has given us an invocation; nothing was claimed.',
    'claim answered': 'The run is ours in the store; no process was started.',
    spawned: 'The program runs; nothing was heard from it.',
    'output heard': 'The program has said something, and nobody else has it.',
    'events reported': 'The store has what the program said; it is still queued here.',
    'program exited': 'The program has ended; its output is not judged.',
    'run swept': 'Nothing of the run is left alive; its output is not judged.',
    'result parsed': 'The outcome is known in memory and nowhere else.',
    'outcome spooled': 'The outcome is on disk; it was not sent.',
    'outcome taken': 'The store has the outcome; it is on disk still.',
    'lease over': 'All is reported; the engine does not know that the lease has ended.',
    'stop heard': 'We know what to stop, and have not begun.',
    'stop signalled': 'The program was asked to end, and has not.',
  },
  /** `offshoot restore`, and whoever finishes what it was killed over. */
  restore: {
    'backup copied': 'The copy lies beside the store; nobody knows whether it is sound.',
    'backup proved': 'The copy is sound and marked as a backup; the store is as it was.',
    'restore decided': 'The copy has the name under which it is the store; nothing else was moved.',
    'store set aside':
      'The old database has a second name; its WAL, where damaged, only its first.',
    'WAL set aside': 'The old database lies there without its WAL.',
    'store replaced': 'The copy is the store; the folder was not flushed, and nobody was told.',
  },
} as const;

export type FaultPoint =
  | keyof (typeof faultPoints)['server']
  | keyof (typeof faultPoints)['host']
  | keyof (typeof faultPoints)['restore'];
