//go:build race

package vk

// raceDetector: under it, pools drop what they keep at random.
const raceDetector = true
