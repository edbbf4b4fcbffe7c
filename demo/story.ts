/** What the demo asks for: a parent with children in all three modes, over HTTP and over MCP. */
export const story = {
  title: 'Prepare release 1.4',
  prompt: `print reading the plan
spawn callback as "Write the changelog": {
  spawn callback as "Collect merged changes": { sleep 1; say 12 changes, 2 of them breaking }
  spawn callback as "Check the version number": { sleep 2; say 1.4.0 is free }
  say collecting
}
spawn poll as "Run the test suite": { print 212 tests; sleep 1.5; say 212 passed }
spawn-mcp SYNC as "Review open questions": {
  spawn SYNC as "Ask the specialist": { sleep 0.5; say no objections }
  say one question was open
}
spawn poll as "Try the old importer": { sleep 0.5; fail the old importer is gone }
wait
say everything is under way`,
} as const;
