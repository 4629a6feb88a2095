package train

import (
	"encoding/json"
	"fmt"
	"slices"
)

// parseState reads what the loop kept. It must be all of what this version keeps
// and nothing more, or the run would go on from another state than it stopped at.
func parseState(text []byte) (hostState, error) {
	var state hostState
	if err := json.Unmarshal(text, &state); err != nil {
		return state, err
	}
	again, err := json.Marshal(state)
	if err != nil {
		return state, err
	}
	found, expected := keysOf(text), keysOf(again)
	for _, key := range expected {
		if !slices.Contains(found, key) {
			return state, fmt.Errorf("found no %s, expected what this version of splat keeps", key)
		}
	}
	for _, key := range found {
		if !slices.Contains(expected, key) {
			return state, fmt.Errorf("found %s, expected only what this version of splat keeps", key)
		}
	}
	return state, nil
}

// keysOf lists the keys of a JSON object and of the objects in it, in order:
// "control.Step".
func keysOf(text []byte) (keys []string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	for key, value := range object {
		keys = append(keys, key)
		for _, inner := range keysOf(value) {
			keys = append(keys, key+"."+inner)
		}
	}
	slices.Sort(keys)
	return keys
}
