"""Names of the tags by which assistants' hosts tell a model who speaks: what a note must not be able to write.

Made with ``python tools/markers.py PROGRAM…`` over Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0 and OpenClaw
2026.9.6: what stands in them both as an opening and a closing tag, or as an opening one that a template fills, less
HTML, parts of user interfaces, examples of XML and gaps in usage texts (``<session-id>``). Run it again over newer
versions: it prints what is not here. Those of Cursor, Windsurf and OpenCode are from their prompts, not from programs.

A dash stands for a dash, an underscore, a dot, a blank or nothing; an underscore for itself, where with another sign it
is somebody's element of a page (``<user-info>``, ``<UserInfo>``); a star for letters. Case does not matter.
"""

from __future__ import annotations

# What models are trained on, whatever the host.
_COMMON = """
system system-reminder system-prompt system-message system-instruction system-instructions system-context
system-note user user-message user-prompt user-instruction user-instructions user-query user-input
user-prompt-submit-hook human assistant developer invoke parameter thinking think reasoning bos eos instructions
permissions function functions function-call function-calls function-result function-results function-response
function-output tool tools tool-result tool-results tool-use tool-uses tool-call tool-calls tool-response
tool-responses tool-output tool-outputs start-of-turn end-of-turn begin-of-text end-of-text begin-of-sentence
end-of-sentence
"""
_CLAUDE_CODE = """
agent-message agents-done agents-error agents-skipped autonomous-loop autonomous-loop-dynamic bash-input bash-stderr
bash-stdout cc-automode cc-automode-permissions cc-automode-session-rules cc-memory channel-memory-listing
classifier-system-prompt claude-last-answer claude-md closing-notice command-args command-message command-name
coordinator-task cross-session-message cross-session-messages-rule current-skill-md earlier-message fork-boilerplate
guidance-loaded ide-opened-file ide-selection interrupted-output local-command-* mcp-resource mcp-server-note
memory-listing memory-listing-additions memory-updates new-diagnostics non-user-message not-shown other-sessions
other-user partial-response pasted-content persisted-output previous-conversation repl-output routine-summary
sandbox-violations settings-deny-rules skills-discovered slack-messages subagent-hand-back subagent-tokens
task-notification task-type teammate-message tool-use-error total-tokens truncated-output untrusted-uploads
user-allow-rules-to-replace user-claude-md user-memory-input webhook-payload
"""
_CODEX = """
agent-message-board-notification apps-instructions codex-delegation codex-internal-context collaboration-mode
command-sessions content-filter-guidance context-window context-window-guidance context-window-reminder current-time-iso
current-time-reminder current-time-unavailable cursor-commands environment-context environments-instructions
git-attribution guardian-context-omission guardian-sync-review guardian-tool-descriptions guardian-truncated heartbeat
image-resize-notice managed-developer-instructions mcp-tools model-instructions model-switch multi-agent-mode
multi-agent-role node-repl-review-evidence oai-mem-citation objective operating-style permission-profile
permissions-instructions persistent-mode personality-spec plugins-instructions proposed-plan realtime-conversation
realtime-delegation recommended-plugins resource-access rollout-budget send-user-message-question-reply
side-conversation skills-instructions startup-context subagent-notification token-budget transcript-delta turn-aborted
untrusted-objective user-action user-shell-command user-verification-notice workspace-roots
"""
_GEMINI_CLI = """
activated-skill active-constraints artifact-trail available-resources available-skills available-subagents
available-tools background-output extension-context file-content file-system-state global-context hook-context
intent-summary key-knowledge loaded-context original-user-request overall-goal project-context recent-actions
session-context state-snapshot target-issue task-state tool-output-masked untrusted-context user-project-memory
"""
_OPENCLAW = """
active-memory-plugin begin-openclaw-internal-context begin-untrusted-child-result end-external-untrusted-content
end-openclaw-internal-context end-untrusted-child-result external-untrusted-content shared-session-history
workboard-inline-text
"""
_CURSOR = """
additional_data agent_notes agent-requestable-workspace-rule agent-requestable-workspace-rules agent_skill agent_skills
agent-transcripts always-applied-workspace-rule always-applied-workspace-rules attached_file attached_files
attached_folders citing-code code_selection cursor-rules cursor-rules-context currently-open-file edit_history
external_links git_status inline-line-numbers linter_errors making-code-changes manually-added-selection
manually-attached-skills maximize-context-understanding maximize-parallel-tool-calls mcp-file-system
mcp-file-system-server mcp-file-system-servers mcp-instructions mode_selection open-and-recently-viewed-files open_files
project_layout project_instructions recently_viewed_files search-and-reading selected_code system-communication
task_management terminal-files-information tool_calling user_info user_rule user_rules workspace_rules
"""
_WINDSURF = """
additional_metadata browser_preview calling-external-apis communication_style conversation_summaries ephemeral_message
mandatory-instruction mandatory-instructions memory_system persistent-context running_commands user_information
user_request user_settings user-settings-change workspace_information
"""
_OPENCODE = """
bash_metadata shell_metadata skill_content skill_files task_metadata task_result
"""
# Their names alone are of other languages, too: ``<channel>`` opens a feed.
ATTRIBUTED = (("channel", "source"), ("skill", "name"))
# An ordinary word, unless this element comes first in it.
FOLLOWED = (("skill", "name"),)
NAMES = tuple(
    sorted({*(_COMMON + _CLAUDE_CODE + _CODEX + _GEMINI_CLI + _OPENCLAW + _CURSOR + _WINDSURF + _OPENCODE).split()})
)
