package config

// Change is a key whose value is not what it was, both in TOML notation.
type Change struct{ Key, Old, New string }

// String writes a change as "train.steps 100 -> 200".
func (c Change) String() string { return c.Key + " " + c.Old + " -> " + c.New }

// Values returns every key with its value in TOML notation.
func Values(r Run) map[string]string {
	values := map[string]string{}
	for _, f := range Fields() {
		values[f.Name()] = literal(f.value(&r).Interface())
	}
	return values
}

// Compare lists, in the order of Run, the keys whose value in r is not what
// Values told of an earlier configuration. Keys that did not exist then are left
// out.
func Compare(old map[string]string, r Run) []Change {
	now := Values(r)
	var changes []Change
	for _, f := range Fields() {
		if was, known := old[f.Name()]; known && was != now[f.Name()] {
			changes = append(changes, Change{f.Name(), was, now[f.Name()]})
		}
	}
	return changes
}
