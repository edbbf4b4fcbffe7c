/** So many groups of writes in a store, one turn of the event loop each, for whoever counts what that asks of the system. */
import { openStore } from '../../store/index.ts';
import { registerSession } from '../../store/sessions.ts';
import { appendTurn } from '../../store/turns.ts';

const [file = '', times = '0'] = process.argv.slice(2);
/** Written together in each group: they share its flush. */
const TOGETHER = 3;

const store = openStore(file);
const session = { agentId: 'default', sessionKey: 's1', harness: null, project: null, title: null };
const { id } = await store.write((tx) => registerSession(tx, session));
for (let n = 0; n < Number(times); n += 1) {
  const texts = Array.from({ length: TOGETHER }, (_, at) => `turn ${n} ${at} `.repeat(60));
  await Promise.all(
    texts.map((text) => store.write((tx) => appendTurn(tx, { sessionId: id, role: 'user', text }))),
  );
}
await store.close();
