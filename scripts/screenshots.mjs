/** Takes the pictures in docs/ from the demo: `node scripts/screenshots.mjs`. Needs a chromium on PATH. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs/images');
const home = mkdtempSync(join(tmpdir(), 'offshoot-pictures-'));
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Columns of the list: Temporal UI keeps a person's own choice in the browser. */
const dropped = ['Run ID', 'Type', 'End'];
const added = ['OffshootTitle', 'OffshootMode', 'OffshootRunner', 'OffshootParentSession'];

const demo = spawn(process.execPath, [join(root, 'dist/demo/main.js'), '--keep'], {
  env: { ...process.env, OFFSHOOT_HOME: home },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await untilKept(demo.stdout);
  demo.stdout.resume();
  await takePictures();
} finally {
  demo.kill('SIGINT');
  await once(demo, 'exit');
  rmSync(home, { recursive: true, force: true });
}

async function untilKept(output) {
  let text = '';
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('Ctrl-C stops it.')) return;
  }
}

async function takePictures() {
  mkdirSync(folder, { recursive: true });
  const { url, tokenFile, temporal } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'));
  const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };
  const { items } = await (await fetch(`${url}/api/subagents`, { headers })).json();
  const parent = items.find((item) => item.depth === 0);
  const middle = items.find((item) => item.title === 'Write the changelog');
  const ui = `${temporal.uiUrl}/namespaces/${temporal.namespace}/workflows`;
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  const settle = () => page.waitForTimeout(2000);
  const shoot = (name) => page.screenshot({ path: join(folder, `${name}.png`) });
  const openRun = async (id, tab) => {
    await page.goto(`${ui}/${encodeURIComponent(`subagent/${id}`)}`);
    await page.waitForURL(/[0-9a-f]{8}-[0-9a-f-]{27}/);
    await page.goto(page.url().replace(/[^/]+$/, tab));
    await settle();
  };

  await page.goto(ui);
  await settle();
  await page.getByTestId('workflows-summary-table-configuration-button').click();
  for (const name of dropped)
    await page.getByTestId(`orderable-list-item-${name}-remove-button`).click();
  for (const name of added)
    await page.getByTestId(`orderable-list-item-${name}-add-button`).click();
  // The time matters least here.
  for (const _ of added)
    await page.getByTestId('orderable-list-item-Start-move-down-button').click();
  await page.getByTestId('drawer-close-button').click();
  await page.getByLabel('Collapse saved views').click();
  await settle();
  await shoot('temporal-list');
  await openRun(parent.id, 'relationships');
  await page.getByText('Expand All').click();
  await settle();
  await shoot('temporal-tree');
  await openRun(middle.id, 'timeline');
  await shoot('temporal-timeline');
  await openRun(middle.id, 'user-metadata');
  await shoot('temporal-workflow');
  await browser.close();
}
