--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: species; Type: TABLE; Schema: public; Owner: root
--

CREATE TABLE public.species (
    species_id integer NOT NULL,
    scientific_name text NOT NULL,
    family text NOT NULL,
    common_names text[] NOT NULL,
    red_list text,
    traits jsonb NOT NULL
);


ALTER TABLE public.species OWNER TO root;

--
-- Name: species; Type: TABLE DATA; Schema: public; Owner: root
--

COPY public.species (species_id, scientific_name, family, common_names, red_list, traits) FROM stdin;
1	Lathyrella dubia	Fabaceae	{"goat's eye","bog oat"}	LC	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "annual"}
2	Arabina gracilis	Brassicaceae	{"goat's eye"}	VU	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 5}, "lifeform": "shrub"}
3	Thymella kochii	Lamiaceae	{"herbe à l'ours","king's \\"crown\\"","flor d'onzo"}	NT	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 6}, "lifeform": "shrub"}
4	Helianella nivalis	Asteraceae	{"ice vetch"}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 9}, "lifeform": "shrub"}
5	Festucora rupestris	Poaceae	{}	LC	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 13}, "lifeform": "perennial"}
6	Potentina umbrosa	Rosaceae	{"ice vetch"}	LC	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 1}, "lifeform": "annual"}
7	Orchella borealis	Orchidaceae	{Schäferkraut}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 5}, "lifeform": "annual"}
8	Trifolina elegans	Fabaceae	{"flor d'onzo"}	LC	{"storage": "intermediate", "dormancy": {"kind": "physical", "weeks_cold": 11}, "lifeform": "annual"}
9	Stipella hirta	Poaceae	{Schäferkraut}	\N	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 16}, "lifeform": "annual"}
10	Salvinora lutea	Lamiaceae	{"moon daisy","king's \\"crown\\"","ice vetch"}	VU	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 12}, "lifeform": "shrub"}
11	Crepidora obscura	Asteraceae	{"king's \\"crown\\""}	CR	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 6}, "lifeform": "annual"}
12	Avenula saxatilis	Poaceae	{"flor d'onzo"}	\N	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "annual"}
13	Drabella villosa	Brassicaceae	{"king's \\"crown\\""}	LC	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "shrub"}
14	Ophrydina candida	Orchidaceae	{Schäferkraut}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 13}, "lifeform": "shrub"}
15	Vicionia ferruginea	Fabaceae	{}	CR	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 8}, "lifeform": "shrub"}
16	Hordeina insularis	Poaceae	{"moon daisy","king's \\"crown\\""}	EN	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 1}, "lifeform": "annual"}
17	Rubella montana	Rosaceae	{"moon daisy","goat's eye","ice vetch"}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 10}, "lifeform": "shrub"}
18	Lunaster palustris	Asteraceae	{"moon daisy",Schäferkraut}	LC	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 11}, "lifeform": "shrub"}
19	Lathyrella tenuis	Fabaceae	{Schäferkraut,"herbe à l'ours"}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 16}, "lifeform": "annual"}
20	Arabina borealis	Brassicaceae	{"goat's eye","king's \\"crown\\"","bog oat"}	NT	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "annual"}
21	Thymella elegans	Lamiaceae	{"moon daisy","goat's eye",Schäferkraut}	NT	{"storage": "intermediate", "dormancy": {"kind": "physiological", "weeks_cold": 3}, "lifeform": "annual"}
22	Helianella hirta	Asteraceae	{"flor d'onzo"}	NT	{"storage": "recalcitrant", "dormancy": {"kind": "none"}, "lifeform": "annual"}
23	Festucora lutea	Poaceae	{"moon daisy","goat's eye","flor d'onzo"}	LC	{"storage": "recalcitrant", "dormancy": {"kind": "physiological", "weeks_cold": 15}, "lifeform": "annual"}
24	Potentina obscura	Rosaceae	{"herbe à l'ours"}	LC	{"storage": "intermediate", "dormancy": {"kind": "none"}, "lifeform": "perennial"}
25	Orchella saxatilis	Orchidaceae	{Schäferkraut,"flor d'onzo","ice vetch"}	VU	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 1}, "lifeform": "annual"}
26	Trifolina villosa	Fabaceae	{"moon daisy","king's \\"crown\\""}	LC	{"storage": "intermediate", "dormancy": {"kind": "none"}, "lifeform": "annual"}
27	Stipella candida	Poaceae	{"moon daisy","goat's eye"}	LC	{"storage": "recalcitrant", "dormancy": {"kind": "physical", "weeks_cold": 12}, "lifeform": "perennial"}
28	Salvinora ferruginea	Lamiaceae	{}	LC	{"storage": "intermediate", "dormancy": {"kind": "physiological", "weeks_cold": 2}, "lifeform": "annual"}
29	Crepidora insularis	Asteraceae	{"goat's eye","herbe à l'ours"}	EN	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 9}, "lifeform": "annual"}
30	Avenula montana	Poaceae	{"bog oat"}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 10}, "lifeform": "shrub"}
31	Drabella palustris	Brassicaceae	{"bog oat"}	VU	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 11}, "lifeform": "annual"}
32	Ophrydina tenuis	Orchidaceae	{Schäferkraut}	NT	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "perennial"}
33	Vicionia alpestris	Fabaceae	{Schäferkraut,"king's \\"crown\\""}	CR	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "perennial"}
34	Hordeina dubia	Poaceae	{}	NT	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 12}, "lifeform": "perennial"}
35	Rubella gracilis	Rosaceae	{}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 6}, "lifeform": "shrub"}
36	Lunaster kochii	Asteraceae	{}	EN	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "perennial"}
37	Lathyrella nivalis	Fabaceae	{"ice vetch"}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 13}, "lifeform": "shrub"}
38	Arabina rupestris	Brassicaceae	{"herbe à l'ours"}	LC	{"storage": "intermediate", "dormancy": {"kind": "none"}, "lifeform": "annual"}
39	Thymella umbrosa	Lamiaceae	{}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 16}, "lifeform": "annual"}
40	Helianella candida	Asteraceae	{Schäferkraut,"ice vetch"}	LC	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "shrub"}
41	Festucora ferruginea	Poaceae	{"herbe à l'ours"}	CR	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "annual"}
42	Potentina insularis	Rosaceae	{"goat's eye","king's \\"crown\\"","ice vetch"}	EN	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 15}, "lifeform": "shrub"}
43	Orchella montana	Orchidaceae	{"moon daisy",Schäferkraut}	DD	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "annual"}
44	Trifolina palustris	Fabaceae	{"ice vetch"}	CR	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "perennial"}
45	Stipella tenuis	Poaceae	{}	VU	{"storage": "intermediate", "dormancy": {"kind": "physical", "weeks_cold": 7}, "lifeform": "perennial"}
46	Salvinora alpestris	Lamiaceae	{"goat's eye","herbe à l'ours"}	NT	{"storage": "intermediate", "dormancy": {"kind": "physical", "weeks_cold": 4}, "lifeform": "annual"}
47	Crepidora dubia	Asteraceae	{}	EN	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 8}, "lifeform": "annual"}
48	Avenula gracilis	Poaceae	{}	NT	{"storage": "orthodox", "dormancy": {"kind": "none"}, "lifeform": "annual"}
49	Drabella kochii	Brassicaceae	{}	LC	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 16}, "lifeform": "shrub"}
50	Ophrydina nivalis	Orchidaceae	{"herbe à l'ours"}	NT	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 13}, "lifeform": "annual"}
51	Vicionia rupestris	Fabaceae	{"king's \\"crown\\"","bog oat"}	\N	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 13}, "lifeform": "annual"}
52	Hordeina umbrosa	Poaceae	{"flor d'onzo","bog oat"}	LC	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 11}, "lifeform": "annual"}
53	Rubella borealis	Rosaceae	{}	LC	{"storage": "orthodox", "dormancy": {"kind": "physiological", "weeks_cold": 1}, "lifeform": "perennial"}
54	Lunaster elegans	Asteraceae	{}	NT	{"storage": "orthodox", "dormancy": {"kind": "physical", "weeks_cold": 16}, "lifeform": "perennial"}
\.


--
-- Name: species species_pkey; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.species
    ADD CONSTRAINT species_pkey PRIMARY KEY (species_id);


--
-- Name: species species_scientific_name_key; Type: CONSTRAINT; Schema: public; Owner: root
--

ALTER TABLE ONLY public.species
    ADD CONSTRAINT species_scientific_name_key UNIQUE (scientific_name);


--
-- PostgreSQL database dump complete
--
